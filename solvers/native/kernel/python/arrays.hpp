// Arrays in and out: numpy arrays (and any other two-dimensional integer buffer) into a Grid, and
// new numpy arrays for results. Functions here need the GIL; they report by Python exceptions.
#pragma once

#include <Python.h>

#include "board/grid.hpp"

namespace mines {

// Reads a board. False: a Python exception is set (TypeError for what is no integer array,
// ValueError for a wrong shape or a value that is no code).
bool read_board(PyObject* board, Grid& grid);

// A new array of doubles; `data` is where they lie. Null with an exception set on failure.
PyObject* new_doubles(Py_ssize_t rows, Py_ssize_t cols, double** data);

// Makes an array read-only.
void freeze(PyObject* array);

// A new array of signed bytes, and one of booleans.
PyObject* new_codes(Py_ssize_t rows, Py_ssize_t cols, std::int8_t** data);
PyObject* new_flags(Py_ssize_t rows, Py_ssize_t cols, bool** data);

}  // namespace mines
