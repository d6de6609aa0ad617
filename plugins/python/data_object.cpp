// Builds dictionaries, lists and numbers of Python from settings and states, and reads them.

#include "data_object.hpp"

#include <ptp/error.hpp>

#include <cstring>
#include <string>

namespace ptp::python {

namespace {

Object list_of(const ptp_data& data) {
    Object list(PyList_New(static_cast<Py_ssize_t>(data.item_count)));
    for (std::uint64_t i = 0; i < data.item_count; ++i) {
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), object_of(data.items[i]).release());
    }
    return list;
}

Object dict_of(const ptp_data& data) {
    Object dict(PyDict_New());
    for (std::uint64_t i = 0; i < data.item_count; ++i) {
        const Object item = object_of(data.items[i]);
        require_success(PyDict_SetItemString(dict.get(), data.items[i].key, item.get()));
    }
    return dict;
}

Data::List items_of(PyObject* sequence) {
    const Object fast(PySequence_Fast(sequence, "not a list"));
    Data::List items;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.get()); ++i) {
        items.push_back(data_of(PySequence_Fast_GET_ITEM(fast.get(), i)));
    }
    return items;
}

Data::Table members_of(PyObject* dict) {
    Data::Table members;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value) != 0;) {
        if (PyUnicode_Check(key) == 0) {
            throw DataError("a table of plain data has keys that are str, not ",
                            Py_TYPE(key)->tp_name);
        }
        members.push_back({text_of(key), data_of(value)});
    }
    return members;
}

Data integer_of(PyObject* object) {
    const long long value = PyLong_AsLongLong(object);
    if (value == -1 && PyErr_Occurred() != nullptr) {
        throw Raised();
    }
    return {static_cast<std::int64_t>(value)};
}

}  // namespace

Object text_object(const char* bytes, std::size_t size) {
    return Object(PyUnicode_DecodeUTF8(bytes, static_cast<Py_ssize_t>(size), "surrogateescape"));
}

std::string text_of(PyObject* text) {
    if (PyUnicode_Check(text) == 0) {
        throw DataError("expected str, found ", Py_TYPE(text)->tp_name);
    }
    Py_ssize_t size = 0;
    if (const char* bytes = PyUnicode_AsUTF8AndSize(text, &size)) {
        return {bytes, static_cast<std::size_t>(size)};
    }
    PyErr_Clear();
    const Object bytes(PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape"));
    return {PyBytes_AS_STRING(bytes.get()),
            static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get()))};
}

Object object_of(const ptp_data& data) {
    switch (data.type) {
        case PTP_DATA_BOOL:
            return Object::shared(data.integer != 0 ? Py_True : Py_False);
        case PTP_DATA_INTEGER:
            return Object(PyLong_FromLongLong(data.integer));
        case PTP_DATA_REAL:
            return Object(PyFloat_FromDouble(data.real));
        case PTP_DATA_TEXT:
            return text_object(data.text, std::strlen(data.text));
        case PTP_DATA_LIST:
            return list_of(data);
        case PTP_DATA_TABLE:
            return dict_of(data);
        default:
            return Object::shared(Py_None);
    }
}

Data data_of(PyObject* object) {
    if (object == Py_None) {
        return {};
    }
    if (PyBool_Check(object) != 0) {
        return {object == Py_True};
    }
    if (PyLong_Check(object) != 0) {
        return integer_of(object);
    }
    if (PyFloat_Check(object) != 0) {
        return {PyFloat_AsDouble(object)};
    }
    if (PyUnicode_Check(object) != 0) {
        return {text_of(object)};
    }
    if (PyList_Check(object) != 0 || PyTuple_Check(object) != 0) {
        return {items_of(object)};
    }
    if (PyDict_Check(object) != 0) {
        return {members_of(object)};
    }
    if (PyIndex_Check(object) != 0) {  // includes integers of numpy
        return integer_of(Object(PyNumber_Index(object)).get());
    }
    throw DataError("plain data is None, bool, int, float, str, bytes, list or dict, not ",
                    Py_TYPE(object)->tp_name);
}

}  // namespace ptp::python
