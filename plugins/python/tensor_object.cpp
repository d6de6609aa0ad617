// Defines the Python type ptp.Tensor: its buffer, its DLPack capsule and its attributes.

#include "tensor_object.hpp"

#include "tensor_format.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <utility>

namespace ptp::python {

namespace {

struct TensorObject {
    PyObject_HEAD Memory memory;
};

const Memory& memory_in(PyObject* self) {
    return reinterpret_cast<TensorObject*>(self)->memory;
}

const Format& format_of(const ptp_tensor_view& view) {
    return *std::ranges::find_if(kFormats, [&](const Format& format) {
        return format.code == view.type_code && format.bits == view.type_bits;
    });
}

// ---- A buffer ----

enum class Order { kRows, kColumns };  // that of C, and that of Fortran

// Returns whether the numbers are in this order without gaps.
bool is_contiguous(const ptp_tensor_view& view, Order order) {
    if (std::find(view.shape, view.shape + view.rank, 0) != view.shape + view.rank) {
        return true;
    }
    std::int64_t next = 1;
    for (std::int32_t i = 0; i < view.rank; ++i) {
        const std::int32_t dimension = order == Order::kRows ? view.rank - 1 - i : i;
        if (view.shape[dimension] != 1 && view.strides[dimension] != next) {
            return false;
        }
        next *= view.shape[dimension];
    }
    return true;
}

// Returns why the tensor does not have the order that a reader requests; nullptr if it does.
const char* refusal_of_order(const ptp_tensor_view& view, int flags) {
    const auto asks = [&](int wanted) { return (flags & wanted) == wanted; };
    const bool has_rows = is_contiguous(view, Order::kRows);
    const bool has_columns = is_contiguous(view, Order::kColumns);
    if ((!asks(PyBUF_STRIDES) || asks(PyBUF_C_CONTIGUOUS)) && !has_rows) {
        return "the tensor is not contiguous (row-major); make a copy, such as bytes(x)";
    }
    if (asks(PyBUF_F_CONTIGUOUS) && !has_columns) {
        return "the tensor is not contiguous in Fortran's order (column-major); make a copy";
    }
    if (asks(PyBUF_ANY_CONTIGUOUS) && !has_rows && !has_columns) {
        return "the tensor is not contiguous; make a copy";
    }
    return nullptr;
}

int refuse_buffer(const char* why) {
    PyErr_SetString(PyExc_BufferError, why);
    return -1;
}

int get_buffer(PyObject* self, Py_buffer* buffer, int flags) {
    const ptp_tensor_view& view = memory_in(self).view;
    const Format& format = format_of(view);
    buffer->obj = nullptr;
    if ((flags & PyBUF_WRITABLE) != 0) {
        return refuse_buffer("a tensor of a stream must not be changed; make a copy");
    }
    if (view.device_type != 1 || *format.name == '\0') {
        return refuse_buffer("a tensor on a GPU, or of bfloat16, has no buffer");
    }
    if (const char* const why = refusal_of_order(view, flags)) {
        return refuse_buffer(why);
    }
    const auto rank = static_cast<std::size_t>(view.rank);
    auto* numbers = new (std::nothrow) Py_ssize_t[2 * rank + 1];
    if (numbers == nullptr) {
        PyErr_NoMemory();
        return -1;
    }
    const Py_ssize_t item = view.type_bits / 8;
    Py_ssize_t count = 1;
    for (std::size_t i = 0; i < rank; ++i) {
        numbers[i] = view.shape[i];
        numbers[rank + i] = view.strides[i] * item;
        count *= view.shape[i];
    }
    buffer->buf = static_cast<char*>(view.data) + view.byte_offset;
    buffer->len = count * item;
    buffer->itemsize = item;
    buffer->readonly = 1;
    buffer->ndim = view.rank;
    auto* const name = const_cast<char*>(format.name);  // NOLINT: it is only read
    buffer->format = (flags & PyBUF_FORMAT) != 0 ? name : nullptr;
    buffer->shape = (flags & PyBUF_ND) != 0 ? numbers : nullptr;
    buffer->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? numbers + rank : nullptr;
    buffer->suboffsets = nullptr;
    buffer->internal = numbers;
    buffer->obj = self;
    Py_INCREF(self);
    return 0;
}

void release_buffer(PyObject*, Py_buffer* buffer) {
    delete[] static_cast<Py_ssize_t*>(buffer->internal);
}

// ---- DLPack ----

template <class Managed>
void delete_managed(Managed* managed) {
    delete static_cast<Memory*>(managed->context);
    delete managed;
}

template <class Managed>
constexpr const char* kNameOf = kCapsule;
template <>
constexpr const char* kNameOf<VersionedTensor> = kVersionedCapsule;

// Deletes the content of an unused capsule.
template <class Managed>
void delete_capsule(PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, kNameOf<Managed>) != 0) {
        auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kNameOf<Managed>));
        managed->deleter(managed);
    }
}

template <class Managed>
PyObject* new_capsule(std::unique_ptr<Managed> managed, std::unique_ptr<Memory> memory) {
    managed->tensor = memory->view;
    managed->deleter = delete_managed<Managed>;
    PyObject* const capsule =
        PyCapsule_New(managed.get(), kNameOf<Managed>, delete_capsule<Managed>);
    if (capsule != nullptr) {
        managed->context = memory.release();
        static_cast<void>(managed.release());
    }
    return capsule;
}

// Returns whether it is None or the tensor's own device.
bool is_own_device(const ptp_tensor_view& view, PyObject* wanted) {
    if (wanted == Py_None) {
        return true;
    }
    int type = 0;
    int number = 0;
    if (PyArg_ParseTuple(wanted, "ii", &type, &number) == 0) {
        return false;
    }
    if (type == view.device_type && number == view.device_id) {
        return true;
    }
    PyErr_Format(
        PyExc_BufferError, "the tensor is on the device (%d, %d) of DLPack, not on (%d, %d)",
        static_cast<int>(view.device_type), static_cast<int>(view.device_id), type, number);
    return false;
}

// Returns a copy of the memory, or nullptr with an exception of Python.
std::unique_ptr<Memory> new_copy(const Memory& memory) {
    try {
        return std::make_unique<Memory>(copy_of_memory(memory));
    } catch (const std::exception& error) {
        PyErr_Format(PyExc_BufferError, "the tensor cannot be copied: %s", error.what());
        return nullptr;
    }
}

// Returns whether the caller supports DLPack 1.0; -1 with an exception of Python.
int knows_versions(PyObject* max_version) {
    if (max_version == Py_None) {
        return 0;
    }
    int major = 0;
    int minor = 0;
    return PyArg_ParseTuple(max_version, "ii", &major, &minor) == 0 ? -1 : int{major >= 1};
}

// Exports the tensor, which is complete, so that no stream of a GPU must be synchronized.
PyObject* dlpack(PyObject* self, PyObject* arguments, PyObject* named) {
    static const char* const names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
    PyObject* stream = Py_None;
    PyObject* max_version = Py_None;
    PyObject* device = Py_None;
    PyObject* copy = Py_None;
    if (PyArg_ParseTupleAndKeywords(arguments, named, "|O$OOO:__dlpack__",
                                    const_cast<char**>(names),  // NOLINT: they are only read
                                    &stream, &max_version, &device, &copy) == 0 ||
        !is_own_device(memory_in(self).view, device)) {
        return nullptr;
    }
    const int is_copied = PyObject_IsTrue(copy);
    const int is_versioned = knows_versions(max_version);
    if (is_copied < 0 || is_versioned < 0) {
        return nullptr;
    }
    std::unique_ptr<Memory> memory =
        is_copied != 0 ? new_copy(memory_in(self)) : std::make_unique<Memory>(memory_in(self));
    if (memory == nullptr) {
        return nullptr;
    }
    if (is_versioned == 0) {
        return new_capsule(std::make_unique<ManagedTensor>(), std::move(memory));
    }
    auto managed = std::make_unique<VersionedTensor>();
    managed->major = 1;
    managed->minor = 0;
    managed->flags = is_copied != 0 ? kIsCopied : kIsReadOnly;
    return new_capsule(std::move(managed), std::move(memory));
}

PyObject* dlpack_device(PyObject* self, PyObject*) {
    const ptp_tensor_view& view = memory_in(self).view;
    return Py_BuildValue("(ii)", view.device_type, view.device_id);
}

// ---- Small things ----

PyObject* shape_of(PyObject* self, void*) {
    const ptp_tensor_view& view = memory_in(self).view;
    PyObject* const shape = PyTuple_New(view.rank);
    for (std::int32_t i = 0; shape != nullptr && i < view.rank; ++i) {
        PyTuple_SET_ITEM(shape, i, PyLong_FromLongLong(view.shape[i]));
    }
    return shape;
}

PyObject* dtype_of(PyObject* self, void*) {
    return PyUnicode_FromString(format_of(memory_in(self).view).dtype);
}

PyObject* to_list(PyObject* self, PyObject*) {
    PyObject* const view = PyMemoryView_FromObject(self);
    PyObject* const list = view == nullptr ? nullptr : PyObject_CallMethod(view, "tolist", nullptr);
    Py_XDECREF(view);
    return list;
}

Py_ssize_t length_of(PyObject* self) {
    const ptp_tensor_view& view = memory_in(self).view;
    if (view.rank == 0) {
        PyErr_SetString(PyExc_TypeError, "a tensor of one number has no length");
        return -1;
    }
    return view.shape[0];
}

PyObject* describe_tensor(PyObject* self) {
    PyObject* const shape = shape_of(self, nullptr);
    PyObject* const text = shape == nullptr
                               ? nullptr
                               : PyUnicode_FromFormat("ptp.Tensor(%R, %s)", shape,
                                                      format_of(memory_in(self).view).dtype);
    Py_XDECREF(shape);
    return text;
}

void deallocate(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    reinterpret_cast<TensorObject*>(self)->memory.~Memory();
    type->tp_free(self);
    Py_DECREF(type);
}

PyMethodDef tensor_methods[] = {
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(dlpack)),
     METH_VARARGS | METH_KEYWORDS, "The tensor's own memory, by DLPack, or a copy with copy=True."},
    {"__dlpack_device__", dlpack_device, METH_NOARGS, "Type and number of its device."},
    {"tolist", to_list, METH_NOARGS, "Its numbers in nested lists."},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef tensor_members[] = {
    {"shape", shape_of, nullptr, "Its sizes, outermost first.", nullptr},
    {"dtype", dtype_of, nullptr, "Such as float32.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

template <class Function>
void* slot(Function* function) {
    return reinterpret_cast<void*>(function);
}

}  // namespace

Object make_tensor_type() {
    PyType_Slot slots[] = {{Py_tp_dealloc, slot(deallocate)},
                           {Py_tp_repr, slot(describe_tensor)},
                           {Py_tp_methods, tensor_methods},
                           {Py_tp_getset, tensor_members},
                           {Py_sq_length, slot(length_of)},
                           {Py_bf_getbuffer, slot(get_buffer)},
                           {Py_bf_releasebuffer, slot(release_buffer)},
                           {0, nullptr}};
    PyType_Spec spec{"ptp.Tensor", sizeof(TensorObject), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    return Object(PyType_FromSpec(&spec));
}

Object tensor_object(PyObject* type, Memory memory) {
    auto* const python_type = reinterpret_cast<PyTypeObject*>(type);
    Object object(python_type->tp_alloc(python_type, 0));
    new (&reinterpret_cast<TensorObject*>(object.get())->memory) Memory(std::move(memory));
    return object;
}

}  // namespace ptp::python
