// Declares the bindings of the kernel to Python. Every function and class is bound to the class
// `Kernel`, so that the kernel is one value in Python. `make stubs` writes the types of all
// bindings to _kernel.pyi: those that nanobind derives, and those that are named below.
#pragma once

#include <nanobind/nanobind.h>

namespace mines {

using nanobind::handle;

struct Kernel {};  // never instantiated: its functions are static
using Scope = nanobind::class_<Kernel>;

void bind_analysis(Scope& kernel);
void bind_batch(Scope& kernel);
void bind_counting(Scope& kernel);
void bind_sampling(Scope& kernel);
void bind_games(Scope& kernel);
void bind_generation(Scope& kernel);

// Python objects whose types nanobind cannot derive. Each struct names the type for the stub.
inline bool is_any(PyObject*) {
    return true;
}
struct Doubles : nanobind::object {
    NB_OBJECT_DEFAULT(Doubles, nanobind::object, "numpy.typing.NDArray[numpy.float64]", is_any)
};
struct Codes : nanobind::object {
    NB_OBJECT_DEFAULT(Codes, nanobind::object, "numpy.typing.NDArray[numpy.int8]", is_any)
};
struct Flags : nanobind::object {
    NB_OBJECT_DEFAULT(Flags, nanobind::object, "numpy.typing.NDArray[numpy.bool_]", is_any)
};
struct CellSet : nanobind::object {
    NB_OBJECT_DEFAULT(CellSet, nanobind::object, "frozenset[tuple[int, int]]", is_any)
};
struct Numbers : nanobind::object {
    NB_OBJECT_DEFAULT(Numbers, nanobind::object, "tuple[int, ...]", is_any)
};
struct NumberRows : nanobind::object {
    NB_OBJECT_DEFAULT(NumberRows, nanobind::object, "tuple[tuple[int, ...], ...]", is_any)
};

// Owns a new object that a function of Python's C interface returned. If the object is null, throws
// the Python exception that this function has set.
template <class Object>
Object made(PyObject* object) {
    if (object == nullptr) throw nanobind::python_error();
    return nanobind::steal<Object>(object);
}

// Makes a tuple of make(0), make(1), …, make(count - 1).
template <class Object, class Make>
Object tuple_of(Py_ssize_t count, Make make) {
    Object tuple = made<Object>(PyTuple_New(count));
    for (Py_ssize_t i = 0; i < count; ++i)
        PyTuple_SET_ITEM(tuple.ptr(), i, make(i).release().ptr());
    return tuple;
}

}  // namespace mines
