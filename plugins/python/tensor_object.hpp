// ptp.Tensor: what a component in Python sees of a tensor. It has __dlpack__ and a buffer, both on
// the tensor's own memory.
#pragma once

#include "memory.hpp"
#include "objects.hpp"

namespace ptp::python {

// The type, for the module `ptp`.
Object make_tensor_type();

// Shares the memory and keeps it. `type` is what make_tensor_type() returned.
Object tensor_object(PyObject* type, Memory memory);

// The memory of what a component has returned: something with __dlpack__, or with a buffer, which
// is copied. Empty (no owner) for anything else.
Memory memory_of_object(PyObject* object);

// Of a buffer that is read as numbers of this format ("f", "q", "?") in this shape.
Memory memory_of_buffer(PyObject* buffer, const char* format, PyObject* shape);

}  // namespace ptp::python
