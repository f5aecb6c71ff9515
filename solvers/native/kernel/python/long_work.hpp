// Tools for long work that Python calls: to release the GIL, notice Ctrl-C and lend a workspace.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <chrono>
#include <memory>
#include <utility>

#include "analysis/analysis.hpp"
#include "resources/patience.hpp"

namespace mines {

// Releases the GIL when the work turns out to be long, and takes it back at the end.
class LongWork {
  public:
    LongWork(Patience& patience, double seconds) {
        patience.before_long_work = begin;
        patience.asked_to_stop = stop;
        patience.context = this;
        patience.deadline = Patience::deadline_after(seconds);
    }
    ~LongWork() {
        if (saved_ != nullptr) PyEval_RestoreThread(saved_);
    }

  private:
    static void begin(void* self) { static_cast<LongWork*>(self)->saved_ = PyEval_SaveThread(); }
    // Patience has called begin() before, so the GIL is not held here.
    static bool stop(void* self) {
        LongWork& work = *static_cast<LongWork*>(self);
        PyEval_RestoreThread(work.saved_);
        const bool asked = PyErr_CheckSignals() != 0;
        work.saved_ = PyEval_SaveThread();
        return asked;
    }

    PyThreadState* saved_ = nullptr;
};

// Lets Python handle signals, such as Ctrl-C. The caller does not hold the GIL. True: an exception
// was raised.
inline bool signalled() {
    const nanobind::gil_scoped_acquire locked;
    return PyErr_CheckSignals() != 0;
}

// Runs `work` without the GIL. If `work` called `signalled` and a signal handler raised an
// exception, throws this exception afterwards.
template <class Work>
void without_gil(Work work) {
    {
        const nanobind::gil_scoped_release unlocked;
        work();
    }
    if (PyErr_Occurred()) throw nanobind::python_error();
}

// Runs `work(patience)` without the GIL, and returns its result. The patience notices Ctrl-C; when
// a signal stops the work, throws the Python exception.
template <class Work>
auto while_listening(Work work) {
    Patience patience;
    patience.asked_to_stop = [](void*) { return signalled(); };
    try {
        const nanobind::gil_scoped_release unlocked;
        return work(patience);
    } catch (const Interrupted&) {
        throw nanobind::python_error();
    }
}

// The workspace (or player) of this thread, for one call. A call may run Python code in between,
// such as a signal handler, and that code may make another call. That call gets a workspace of its
// own.
template <class T>
class Lease {
  public:
    Lease() : nested_(std::exchange(taken(), true)) {
        if (nested_) own_ = std::make_unique<T>();
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
        if (!nested_) taken() = false;
    }
    T& operator*() { return nested_ ? *own_ : usual(); }

  private:
    static bool& taken() {
        thread_local bool flag = false;
        return flag;
    }
    static T& usual() {
        thread_local T mine;
        return mine;
    }

    const bool nested_;
    std::unique_ptr<T> own_;
};

}  // namespace mines
