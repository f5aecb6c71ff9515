// Reads boards from numpy arrays and other two-dimensional buffers of integers, and makes numpy
// arrays for results. The functions need the GIL; they report errors as Python exceptions.
#pragma once

#include <Python.h>

#include "board/grid.hpp"

namespace mines {

using TablePointer = std::shared_ptr<const NeighbourTable>;

// The Python object for a table of neighbours. Boards in the kernel share the table `held`, not
// this object, so that the kernel stores no Python objects.
struct HeldTable {
    TablePointer held;
};
inline TablePointer table_of(const HeldTable* table) {
    return table == nullptr ? nullptr : table->held;
}

// Reads a board. False: a Python exception is set, which is TypeError for anything but an array of
// integers, and ValueError for a wrong shape or a number that is not a code. Without a table, the
// grid is square.
bool read_board(PyObject* board, Grid& grid, const TablePointer& table = nullptr);

// Makes an array of doubles, and sets `data` to their address. On failure, returns null and sets a
// Python exception.
PyObject* new_doubles(Py_ssize_t rows, Py_ssize_t cols, double** data);

// Makes an array read-only.
void freeze(PyObject* array);

// Makes an array of the codes of a grid. Without `proofs`, proved cells are hidden again.
PyObject* new_codes(const Grid& grid, bool proofs);

// Like new_doubles(), for booleans.
PyObject* new_flags(Py_ssize_t rows, Py_ssize_t cols, bool** data);

}  // namespace mines
