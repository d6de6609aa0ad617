// Python in this process: one interpreter, which starts when the first component is created and
// never ends.
#pragma once

#include "objects.hpp"

#include <string>

namespace ptp::python {

// Of this plugin's file: another generation of it has modules and a script of its own.
struct Modules {
    PyObject* runtime = nullptr;      // ptp_runtime.py
    PyObject* script = nullptr;       // what the plugin was made of
    PyObject* tensor_type = nullptr;  // ptp.Tensor
    PyObject* as_array = nullptr;
};

// Starts Python, and runs the script on the first call. Throws ConfigError. [any], without the lock
const Modules& modules();

// The exception of Python that is set, as one of the SDK's. `runtime` may be nullptr. With the
// lock.
[[noreturn]] void throw_as_error(PyObject* runtime);

}  // namespace ptp::python
