// Defines the functions of the module `_ptp`; each calls one function of the host.

#include "host_module.hpp"

#include "data_object.hpp"

#include <ptp/detail/data_text.hpp>
#include <ptp/error.hpp>

#include <cstdint>
#include <exception>

namespace ptp::python {

namespace {

constexpr const char* kHostCapsule = "ptp.host";

// The exception of Python for a failure that has already been reported to the host; created with
// the module.
PyObject* host_failed = nullptr;

const ptp_host& host_in(PyObject* capsule) {
    const auto* host = static_cast<const ptp_host*>(PyCapsule_GetPointer(capsule, kHostCapsule));
    if (host == nullptr) {
        throw Raised();
    }
    return *host;
}

void require_ok(ptp_status status) {
    if (status != PTP_OK) {
        PyErr_SetObject(host_failed, Object(PyLong_FromLong(status)).get());
        throw Raised();
    }
}

// Converts C++ exceptions to exceptions of Python.
template <class Action>
PyObject* guarded_object(Action action) {
    try {
        return action().release();
    } catch (const Raised&) {
        return nullptr;
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_ValueError, error.what());
        return nullptr;
    }
}

template <class... Parts>
void read_arguments(PyObject* arguments, const char* format, Parts... parts) {
    if (PyArg_ParseTuple(arguments, format, parts...) == 0) {
        throw Raised();
    }
}

PyObject* ask_size(PyObject*, PyObject* arguments) {
    return guarded_object([&] {
        PyObject* capsule = nullptr;
        const char* dimension = nullptr;
        read_arguments(arguments, "Os", &capsule, &dimension);
        const ptp_host& host = host_in(capsule);
        std::int64_t size = -1;
        ptp_status status = PTP_OK;
        {
            const WithoutLock unlocked;
            status = host.size(host.context, dimension, &size);
        }
        require_ok(status);
        return Object(PyLong_FromLongLong(size));
    });
}

PyObject* ask_global(PyObject*, PyObject* arguments) {
    return guarded_object([&] {
        PyObject* capsule = nullptr;
        const char* name = nullptr;
        read_arguments(arguments, "Os", &capsule, &name);
        const ptp_host& host = host_in(capsule);
        const ptp_data* data = nullptr;
        ptp_status status = PTP_OK;
        {
            const WithoutLock unlocked;
            status = host.global(host.context, name, &data);
        }
        require_ok(status);
        return data == nullptr ? Object::shared(Py_None) : object_of(*data);
    });
}

PyObject* publish(PyObject*, PyObject* arguments) {
    return guarded_object([&] {
        PyObject* capsule = nullptr;
        const char* name = nullptr;
        PyObject* value = nullptr;
        read_arguments(arguments, "OsO", &capsule, &name, &value);
        const ptp_host& host = host_in(capsule);
        const ptp::detail::DataTree tree(data_of(value));
        ptp_status status = PTP_OK;
        {
            const WithoutLock unlocked;
            status = host.publish(host.context, name, tree.root());
        }
        require_ok(status);
        return Object::shared(Py_None);
    });
}

PyObject* draw_random(PyObject*, PyObject* arguments) {
    return guarded_object([&] {
        PyObject* capsule = nullptr;
        read_arguments(arguments, "O", &capsule);
        const ptp_host& host = host_in(capsule);
        return Object(PyLong_FromUnsignedLongLong(host.random(host.context)));
    });
}

PyObject* write_log(PyObject*, PyObject* arguments) {
    return guarded_object([&] {
        PyObject* capsule = nullptr;
        int level = 0;
        const char* message = nullptr;
        read_arguments(arguments, "Ois", &capsule, &level, &message);
        const ptp_host& host = host_in(capsule);
        {
            const WithoutLock unlocked;
            host.log(host.context, level, message);
        }
        return Object::shared(Py_None);
    });
}

PyObject* ask_run_folder(PyObject*, PyObject* arguments) {
    return guarded_object([&] {
        PyObject* capsule = nullptr;
        read_arguments(arguments, "O", &capsule);
        const ptp_host& host = host_in(capsule);
        return Object(PyUnicode_FromString(host.run_folder(host.context)));
    });
}

PyMethodDef host_functions[] = {{"size", ask_size, METH_VARARGS, nullptr},
                                {"global_value", ask_global, METH_VARARGS, nullptr},
                                {"publish", publish, METH_VARARGS, nullptr},
                                {"random", draw_random, METH_VARARGS, nullptr},
                                {"log", write_log, METH_VARARGS, nullptr},
                                {"run_folder", ask_run_folder, METH_VARARGS, nullptr},
                                {nullptr, nullptr, 0, nullptr}};

PyModuleDef host_module = {
    PyModuleDef_HEAD_INIT, "_ptp", nullptr, -1, host_functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace

Object make_host_module() {
    Object module(PyModule_Create(&host_module));
    host_failed =
        Object(PyErr_NewException("ptp.HostFailed", PyExc_RuntimeError, nullptr)).release();
    return module;
}

Object host_object(const ptp_host& host) {
    auto* const pointer = const_cast<ptp_host*>(&host);  // NOLINT: it is only read
    return Object(PyCapsule_New(pointer, kHostCapsule, nullptr));
}

bool take_host_failure(ptp_status& status) {
    if (PyErr_ExceptionMatches(host_failed) == 0) {
        return false;
    }
    PyObject* type = nullptr;
    PyObject* value = nullptr;
    PyObject* trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject* const arguments = PyObject_GetAttrString(value, "args");
    PyObject* const number = arguments == nullptr ? nullptr : PyTuple_GetItem(arguments, 0);
    status =
        number == nullptr ? PTP_ERROR_INTERNAL : static_cast<ptp_status>(PyLong_AsLong(number));
    PyErr_Clear();
    Py_XDECREF(arguments);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return true;
}

}  // namespace ptp::python
