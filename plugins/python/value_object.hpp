// What flows between components, as objects of Python, and back.
#pragma once

#include "objects.hpp"

#include <ptp/abi.h>

#include <string>

namespace ptp::python {

// What is needed to pass values on.
struct Passing {
    const ptp_host& host;
    PyObject* tensor_type;
    PyObject* as_array;  // makes numbers in nested lists an array: ptp_runtime.as_array
    std::string device;  // of outputs; "": where they are
};

// A ptp.Tensor, or a list.
Object object_of(const Passing& passing, ptp_element element, const ptp_value& value);

// Writes an output. Throws DataError for an object that is not what the port carries.
void set_output(const Passing& passing, ptp_element element, PyObject* object, ptp_value& output);

}  // namespace ptp::python
