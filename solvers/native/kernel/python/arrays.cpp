#include "python/arrays.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>

namespace mines {

namespace {

struct Source {
    const char* data;
    Py_ssize_t rows, cols, row_stride, col_stride;
};

// numpy is loaded when the first array is needed, not when the module is imported.
bool numpy_ready() {
    if (PyArray_API != nullptr) return true;
    return _import_array() >= 0;
}

template <class T>
bool is_code(T value, std::int8_t largest_clue) {
    if constexpr (std::is_signed<T>::value)
        return value >= hole && value <= largest_clue;
    else
        return value <= static_cast<std::uint8_t>(largest_clue);
}

// Copies the lowest byte of every value. Returns false if some value is none of the 128 numbers
// from the lowest code on; a signed byte needs no such test. The loop compiles to vector
// instructions for integers of every width.
template <class T>
bool copy_dense(const T* __restrict from, Py_ssize_t cols, std::int8_t* __restrict to) {
    if constexpr (std::is_same<T, std::int8_t>::value) {
        std::memcpy(to, from, cols);
        return true;
    }
    using Bits = std::make_unsigned_t<T>;
    constexpr Bits lowest = std::is_signed<T>::value ? -hole : 0;
    Bits beyond = 0;
    for (Py_ssize_t c = 0; c < cols; ++c) {
        beyond |= static_cast<Bits>(static_cast<Bits>(from[c]) + lowest);
        to[c] = static_cast<std::int8_t>(from[c]);
    }
    return (beyond & static_cast<Bits>(~Bits{127})) == 0;
}

template <class T>
bool copy_row(const char* from, Py_ssize_t cols, Py_ssize_t stride, std::int8_t* to,
              std::int8_t largest_clue) {
    if (stride == static_cast<Py_ssize_t>(sizeof(T)) &&
        reinterpret_cast<std::uintptr_t>(from) % sizeof(T) == 0)
        return copy_dense(reinterpret_cast<const T*>(from), cols, to);
    bool good = true;
    for (Py_ssize_t c = 0; c < cols; ++c) {
        T value;
        std::memcpy(&value, from + c * stride, sizeof value);
        good &= is_code(value, largest_clue);
        to[c] = static_cast<std::int8_t>(value);
    }
    return good;
}

// Writes `blank` for holes. Returns whether every byte of the grid is a code of a cell, of a hole
// or of the border.
bool settle_codes(Grid& grid) {
    std::int8_t* const code = grid.code();
    const std::uint8_t span = static_cast<std::uint8_t>(grid.largest_clue() - hole);
    std::uint8_t highest = 0, lowest = 255;
    for (std::int32_t i = 0; i < grid.size; ++i) {
        const std::uint8_t shifted = static_cast<std::uint8_t>(code[i] - hole);
        highest = std::max(highest, shifted);
        lowest = std::min(lowest, shifted);
    }
    if (lowest == 0) std::replace(code, code + grid.size, hole, static_cast<std::int8_t>(blank));
    return highest <= span;
}

// Sets the error of the first value that is no code. There may be none: another thread may have
// written into the array after it was copied.
template <class T>
void refuse_value(const Source& source, std::int8_t largest_clue) {
    for (Py_ssize_t row = 0; row < source.rows; ++row)
        for (Py_ssize_t c = 0; c < source.cols; ++c) {
            T value;
            std::memcpy(&value, source.data + row * source.row_stride + c * source.col_stride,
                        sizeof value);
            if (is_code(value, largest_clue)) continue;
            PyErr_Format(PyExc_ValueError, "cell %zd,%zd holds %s: expected -5 to %d", row, c,
                         std::to_string(value).c_str(), largest_clue);
            return;
        }
    PyErr_SetString(PyExc_ValueError, "the board changed while it was read");
}

template <class T>
bool copy(const Source& source, Grid& grid) {
    const std::int8_t largest = static_cast<std::int8_t>(grid.largest_clue());
    bool good = true;
    for (Py_ssize_t r = 0; r < source.rows; ++r)
        good &= copy_row<T>(source.data + r * source.row_stride, source.cols, source.col_stride,
                            grid.row(static_cast<std::int32_t>(r)), largest);
    good &= settle_codes(grid);
    if (!good) refuse_value<T>(source, largest);
    return good;
}

bool shape(const Source& source, Grid& grid, const TablePointer& table) {
    if (source.rows == 0 || source.cols == 0) {
        PyErr_SetString(PyExc_ValueError, "a board must have cells");
        return false;
    }
    const bool too_large = source.rows > max_cells || source.cols > max_cells ||
                           (source.rows + 2) * (source.cols + 2) > max_cells;
    if (too_large) {
        PyErr_Format(PyExc_ValueError, "a board of %zd x %zd cells is too large", source.rows,
                     source.cols);
        return false;
    }
    if (table != nullptr && (table->row_count != source.rows || table->col_count != source.cols)) {
        PyErr_SetString(PyExc_ValueError, "the table is for boards of another size");
        return false;
    }
    grid.shape(static_cast<std::int32_t>(source.rows), static_cast<std::int32_t>(source.cols),
               table);
    return true;
}

bool copy_typed(const Source& source, int bytes, bool is_signed, Grid& grid,
                const TablePointer& table) {
    if (!shape(source, grid, table)) return false;
    switch (is_signed ? bytes : -bytes) {
        case 1: return copy<std::int8_t>(source, grid);
        case 2: return copy<std::int16_t>(source, grid);
        case 4: return copy<std::int32_t>(source, grid);
        case 8: return copy<std::int64_t>(source, grid);
        case -1: return copy<std::uint8_t>(source, grid);
        case -2: return copy<std::uint16_t>(source, grid);
        case -4: return copy<std::uint32_t>(source, grid);
        default: return copy<std::uint64_t>(source, grid);
    }
}

bool read_array(PyArrayObject* array, Grid& grid, const TablePointer& table) {
    const int type = PyArray_TYPE(array);
    if (!PyTypeNum_ISINTEGER(type) || !PyArray_ISNOTSWAPPED(array)) {
        PyErr_Format(PyExc_TypeError, "a board must be an array of integers, not of %S",
                     PyArray_DESCR(array));
        return false;
    }
    if (PyArray_NDIM(array) != 2) {
        PyErr_Format(PyExc_ValueError, "a board must have 2 dimensions, not %d",
                     PyArray_NDIM(array));
        return false;
    }
    const npy_intp* sizes = PyArray_DIMS(array);
    const npy_intp* strides = PyArray_STRIDES(array);
    const Source source{PyArray_BYTES(array), sizes[0], sizes[1], strides[0], strides[1]};
    return copy_typed(source, static_cast<int>(PyArray_ITEMSIZE(array)), PyTypeNum_ISSIGNED(type),
                      grid, table);
}

// Whether a format of the module `struct` is one integer in native byte order. Sets `is_signed`.
bool integer_format(const char* format, bool& is_signed) {
    if (format == nullptr) format = "B";
    if (*format == '@' || *format == '=' || *format == '<') ++format;
    if (*format == '\0' || format[1] != '\0') return false;
    is_signed = std::strchr("bhilqn", *format) != nullptr;
    return is_signed || std::strchr("BHILQN", *format) != nullptr;
}

bool read_buffer(PyObject* board, Grid& grid, const TablePointer& table) {
    Py_buffer view;
    if (PyObject_GetBuffer(board, &view, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
        PyErr_Clear();
        PyErr_Format(PyExc_TypeError, "a board must be an array of integers, not %s",
                     Py_TYPE(board)->tp_name);
        return false;
    }
    bool is_signed = false, done = false;
    const bool size_known =
        view.itemsize == 1 || view.itemsize == 2 || view.itemsize == 4 || view.itemsize == 8;
    if (!integer_format(view.format, is_signed) || !size_known)
        PyErr_Format(PyExc_TypeError, "a board must be an array of integers, not of format %s",
                     view.format);
    else if (view.ndim != 2)
        PyErr_Format(PyExc_ValueError, "a board must have 2 dimensions, not %d", view.ndim);
    else
        done = copy_typed(Source{static_cast<const char*>(view.buf), view.shape[0], view.shape[1],
                                 view.strides[0], view.strides[1]},
                          static_cast<int>(view.itemsize), is_signed, grid, table);
    PyBuffer_Release(&view);
    return done;
}

PyObject* new_array(Py_ssize_t rows, Py_ssize_t cols, int type, void** data) {
    if (!numpy_ready()) return nullptr;
    npy_intp sizes[2] = {rows, cols};
    PyObject* array = PyArray_SimpleNew(2, sizes, type);
    if (array != nullptr) *data = PyArray_DATA(reinterpret_cast<PyArrayObject*>(array));
    return array;
}

}  // namespace

bool read_board(PyObject* board, Grid& grid, const TablePointer& table) {
    if (!numpy_ready()) return false;
    return PyArray_Check(board) ? read_array(reinterpret_cast<PyArrayObject*>(board), grid, table)
                                : read_buffer(board, grid, table);
}

PyObject* new_doubles(Py_ssize_t rows, Py_ssize_t cols, double** data) {
    return new_array(rows, cols, NPY_DOUBLE, reinterpret_cast<void**>(data));
}

void freeze(PyObject* array) {
    PyArray_CLEARFLAGS(reinterpret_cast<PyArrayObject*>(array), NPY_ARRAY_WRITEABLE);
}

PyObject* new_codes(const Grid& grid, bool proofs) {
    void* data = nullptr;
    PyObject* array = new_array(grid.rows, grid.cols, NPY_INT8, &data);
    if (array == nullptr) return nullptr;
    std::int8_t* out = static_cast<std::int8_t*>(data);
    for (std::int32_t r = 0; r < grid.rows; ++r, out += grid.cols) {
        std::memcpy(out, grid.row(r), grid.cols);
        if (proofs) continue;
        const auto proved = [](std::int8_t code) { return code <= proved_mine; };
        std::replace_if(out, out + grid.cols, proved, std::int8_t{hidden});
    }
    return array;
}

PyObject* new_flags(Py_ssize_t rows, Py_ssize_t cols, bool** data) {
    return new_array(rows, cols, NPY_BOOL, reinterpret_cast<void**>(data));
}

}  // namespace mines
