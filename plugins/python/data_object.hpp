// Plain data of the host as objects of Python, and back.
#pragma once

#include "objects.hpp"

#include <ptp/data.hpp>

namespace ptp::python {

// None, bool, int, float, str, list and dict.
Object object_of(const ptp_data& data);

// Throws DataError for what has no such form.
Data data_of(PyObject* object);

// Bytes that should be UTF-8; others survive a round trip.
Object text_object(const char* bytes, std::size_t size);
std::string text_of(PyObject* text);

}  // namespace ptp::python
