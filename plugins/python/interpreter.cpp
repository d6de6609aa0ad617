// Starts the interpreter, takes its lock, and prepares it for a fork of the process.

#include "interpreter.hpp"

#include "data_object.hpp"
#include "host_module.hpp"
#include "python_sources.hpp"
#include "room.hpp"
#include "tensor_object.hpp"

#include <ptp/detail/host.hpp>
#include <ptp/error.hpp>

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace ptp::python {

namespace {

// Makes Python's symbols global: compiled modules, such as numpy's, search for them in the whole
// process, where those of a plugin and its libraries are not visible.
void show_to_modules() {
    Dl_info found{};
    if (dladdr(reinterpret_cast<void*>(&Py_IsInitialized), &found) == 0 ||
        dlopen(found.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) == nullptr) {
        throw ConfigError("Python's library cannot be shown to its modules: ", dlerror());
    }
}

// ---- A swap may be tried in a child process, which is forked while other threads are in Python
// ----

PyGILState_STATE state_at_fork;
bool is_held_for_fork = false;

void before_fork() {
    if (PyGILState_Check() != 0) {
        return;  // for Python's own os.fork() or subprocess, which do this themselves
    }
    state_at_fork = PyGILState_Ensure();
    is_held_for_fork = true;
    PyOS_BeforeFork();
}

void after_fork_in_parent() {
    if (is_held_for_fork) {
        is_held_for_fork = false;
        PyOS_AfterFork_Parent();
        PyGILState_Release(state_at_fork);
    }
}

void after_fork_in_child() {
    if (is_held_for_fork) {
        is_held_for_fork = false;
        PyOS_AfterFork_Child();
        PyGILState_Release(state_at_fork);
    }
}

void require_status(const PyStatus& status) {
    if (PyStatus_Exception(status) != 0) {
        throw ConfigError("Python ", PY_VERSION,
                          " cannot be started: ", status.err_msg == nullptr ? "?" : status.err_msg);
    }
}

// Starts Python without changing signals or the locale of the process.
void start() {
    PyPreConfig before;
    PyPreConfig_InitPythonConfig(&before);
    before.parse_argv = 0;
    before.configure_locale = 0;
    before.coerce_c_locale = 0;
    before.utf8_mode = 1;
    require_status(Py_PreInitialize(&before));
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    config.parse_argv = 0;
    config.install_signal_handlers = 0;
    config.use_hash_seed = 1;  // for the same order of sets in each run
    config.hash_seed = 0;
    config.write_bytecode = 0;
    config.buffered_stdio = 0;
    const char* const environment = std::getenv("VIRTUAL_ENV");
    const std::string program =
        environment == nullptr ? PTP_PYTHON_PROGRAM : std::string(environment) + "/bin/python3";
    PyStatus status = PyConfig_SetBytesString(&config, &config.executable, program.c_str());
    if (PyStatus_Exception(status) == 0) {
        status = PyConfig_SetBytesString(&config, &config.program_name, program.c_str());
    }
    if (PyStatus_Exception(status) == 0) {
        status = Py_InitializeFromConfig(&config);
    }
    PyConfig_Clear(&config);
    require_status(status);
    static_cast<void>(PyEval_SaveThread());
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

// Runs a module from a source in this file.
Object run_module(const char* name, const char* source, PyObject* host) {
    Object module(PyModule_New(name));
    PyObject* const members = PyModule_GetDict(module.get());
    require_success(PyDict_SetItemString(members, "__builtins__", PyEval_GetBuiltins()));
    const std::string file = std::string("<") + name + ">";
    const Object file_name = text_object(file.data(), file.size());
    require_success(PyDict_SetItemString(members, "__file__", file_name.get()));
    if (host != nullptr) {
        require_success(PyDict_SetItemString(members, "_ptp", host));
    }
    const Object code(Py_CompileString(source, file.c_str(), Py_file_input));
    const Object nothing(PyEval_EvalCode(code.get(), members, members));
    return module;
}

// Returns a list for ptp_modules.py: name, file, whether it is a package, and source of each.
Object list_of_modules(const std::vector<OwnModule>& modules) {
    Object list(PyList_New(0));
    for (const OwnModule& module : modules) {
        const Object name = text_object(module.name.data(), module.name.size());
        const Object file = text_object(module.file.data(), module.file.size());
        const Object source = text_object(module.source.data(), module.source.size());
        const Object entry(PyTuple_Pack(4, name.get(), file.get(),
                                        module.is_package ? Py_True : Py_False, source.get()));
        require_success(PyList_Append(list.get(), entry.get()));
    }
    return list;
}

Modules make_modules() {
    Modules made;
    try {
        Object type = make_tensor_type();
        const Object declarations = run_module("ptp", kPtpSource, nullptr);
        require_success(PyObject_SetAttrString(declarations.get(), "Tensor", type.get()));
        require_success(PyDict_SetItemString(PyImport_GetModuleDict(), "ptp", declarations.get()));
        const Object host = make_host_module();
        made.runtime = run_module("ptp_runtime", kPtpRuntimeSource, host.get()).release();
        const Object importer = run_module("ptp_modules", kPtpModulesSource, nullptr);
        require_success(PyObject_SetAttrString(made.runtime, "ptp_modules", importer.get()));
        made.as_array = Object(PyObject_GetAttrString(made.runtime, "as_array")).release();
        const std::string libtorch = libtorch_file();
        const Object hidden(
            PyObject_CallMethod(made.runtime, "hide_other_libtorch", "s", libtorch.c_str()));
        const Script& own = script();
        const Object source = text_object(own.source.data(), own.source.size());
        const Object file = text_object(own.file.data(), own.file.size());
        const Object modules = list_of_modules(own.modules);
        made.script = Object(PyObject_CallMethod(made.runtime, "load", "OOsO", source.get(),
                                                 file.get(), own.info.name, modules.get()))
                          .release();
        made.tensor_type = type.release();
    } catch (const Raised&) {
        throw_as_error(made.runtime);
    }
    return made;
}

}  // namespace

// Until they exist, one thread at a time creates them: it locks the mutex before Python's lock.
const Modules& modules() {
    static std::atomic<const Modules*> ready = nullptr;
    static std::mutex mutex;
    if (const Modules* made = ready.load(std::memory_order_acquire)) {
        return *made;
    }
    const std::lock_guard<std::mutex> one(mutex);
    if (ready.load(std::memory_order_relaxed) == nullptr) {
        if (Py_IsInitialized() == 0) {
            show_to_modules();
            start();
        }
        const Lock lock;
        ready.store(new Modules(make_modules()), std::memory_order_release);  // never destroyed
    }
    return *ready.load(std::memory_order_relaxed);
}

void throw_as_error(PyObject* runtime) {
    ptp_status status = PTP_ERROR_INTERNAL;
    if (runtime != nullptr && take_host_failure(status)) {
        throw ptp::detail::HostFailure(status);
    }
    PyObject* type = nullptr;
    PyObject* value = nullptr;
    PyObject* trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    std::string text = type == nullptr ? "?" : reinterpret_cast<PyTypeObject*>(type)->tp_name;
    std::string setting;
    if (runtime != nullptr && type != nullptr) {
        PyObject* const explained =
            PyObject_CallMethod(runtime, "explain", "OOO", type, value == nullptr ? Py_None : value,
                                trace == nullptr ? Py_None : trace);
        if (explained != nullptr) {
            status = static_cast<ptp_status>(PyLong_AsLong(PyTuple_GetItem(explained, 0)));
            text = text_of(PyTuple_GetItem(explained, 1));
            setting = text_of(PyTuple_GetItem(explained, 2));
        }
        Py_XDECREF(explained);
    }
    PyErr_Clear();
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    switch (status) {
        case PTP_ERROR_CONFIG:
            if (!setting.empty()) {
                throw SettingError(setting, text);
            }
            throw ConfigError(text);
        case PTP_ERROR_DATA:
            throw DataError(text);
        default:
            throw SystemError(text);
    }
}

}  // namespace ptp::python
