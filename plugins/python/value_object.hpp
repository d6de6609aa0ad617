// Converts the values of streams to objects of Python, and back.
#pragma once

#include "objects.hpp"

#include <ptp/abi.h>

#include <string>

namespace ptp::python {

// The context for passing values.
struct Passing {
    const ptp_host& host;
    PyObject* tensor_type;
    PyObject* as_array;  // converts nested lists of numbers to an array: ptp_runtime.as_array
    std::string device;  // of outputs; "": unchanged
};

// Returns a ptp.Tensor, or a list.
Object object_of(const Passing& passing, ptp_element element, const ptp_value& value);

// Writes an output. Throws DataError for an object that the port does not accept.
void set_output(const Passing& passing, ptp_element element, PyObject* object, ptp_value& output);

}  // namespace ptp::python
