// Converts plain data of the host to objects of Python, and back.
#pragma once

#include "objects.hpp"

#include <ptp/data.hpp>

namespace ptp::python {

// Returns None, bool, int, float, str, list or dict.
Object object_of(const ptp_data& data);

// Throws DataError for an object that is not plain data.
Data data_of(PyObject* object);

// Converts bytes that should be UTF-8; others survive a round trip.
Object text_object(const char* bytes, std::size_t size);
std::string text_of(PyObject* text);

}  // namespace ptp::python
