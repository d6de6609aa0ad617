// ptp.Tensor: a tensor in Python. It has __dlpack__ and a buffer, both on the tensor's own memory.
#pragma once

#include "memory.hpp"
#include "objects.hpp"

namespace ptp::python {

// Creates the type for the module `ptp`.
Object make_tensor_type();

// Shares the memory and keeps it alive. `type` is the result of make_tensor_type().
Object tensor_object(PyObject* type, Memory memory);

// Returns the memory of a component's result: of an object with __dlpack__, or with a buffer, which
// is copied. Empty (no owner) for anything else.
Memory memory_of_object(PyObject* object);

// Returns the memory of a buffer as numbers of this format ("f", "q", "?") in this shape.
Memory memory_of_buffer(PyObject* buffer, const char* format, PyObject* shape);

}  // namespace ptp::python
