// References to objects of Python, and its lock, which every use of them needs.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <utility>

namespace ptp::python {

// Acquires Python's lock, held by one thread of the process at a time. A thread that has the lock
// may acquire it again.
class Lock {
public:
    Lock() : state_(PyGILState_Ensure()) {}
    ~Lock() { PyGILState_Release(state_); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    PyGILState_STATE state_;
};

// Releases the lock while the host is called, which may wait for another thread.
class WithoutLock {
public:
    WithoutLock() : state_(PyEval_SaveThread()) {}
    ~WithoutLock() { PyEval_RestoreThread(state_); }
    WithoutLock(const WithoutLock&) = delete;
    WithoutLock& operator=(const WithoutLock&) = delete;

private:
    PyThreadState* state_;
};

// Thrown if an exception of Python is set on this thread.
struct Raised {};

// Owns a reference; may be empty. Throws Raised for the nullptr of a failed call.
class Object {
public:
    Object() = default;
    explicit Object(PyObject* owned) : object_(owned) {
        if (owned == nullptr) {
            throw Raised();
        }
    }
    ~Object() { Py_XDECREF(object_); }
    Object(Object&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Object& operator=(Object&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;

    static Object shared(PyObject* borrowed) {
        Py_XINCREF(borrowed);
        return Object(borrowed);
    }

    [[nodiscard]] PyObject* get() const { return object_; }
    PyObject* release() { return std::exchange(object_, nullptr); }

private:
    PyObject* object_ = nullptr;
};

inline void require_success(int result) {
    if (result < 0) {
        throw Raised();
    }
}

}  // namespace ptp::python
