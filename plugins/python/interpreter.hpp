// Python in this process: one interpreter, which starts when the first component is created and
// never ends.
#pragma once

#include "objects.hpp"

#include <string>

namespace ptp::python {

// The modules of this plugin file: another generation of it has its own modules and script.
struct Modules {
    PyObject* runtime = nullptr;      // ptp_runtime.py
    PyObject* script = nullptr;       // the plugin's script
    PyObject* tensor_type = nullptr;  // ptp.Tensor
    PyObject* as_array = nullptr;
};

// Starts Python, and runs the script in the first call. Throws ConfigError. [any], without the lock
const Modules& modules();

// Throws the current exception of Python as one of the SDK's. `runtime` may be nullptr. With the
// lock.
[[noreturn]] void throw_as_error(PyObject* runtime);

}  // namespace ptp::python
