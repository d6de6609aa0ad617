#include "tensor_object.hpp"

#include <ptp/error.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::python {

namespace {

// DLManagedTensor of DLPack 0.8, whose first member is what ptp_tensor_view is member for member.
struct ManagedTensor {
    ptp_tensor_view tensor;
    void* context;
    void (*deleter)(ManagedTensor*);
};

constexpr const char* kCapsule = "dltensor";
constexpr const char* kUsedCapsule = "used_dltensor";

struct TensorObject {
    PyObject_HEAD Memory memory;
};

const Memory& memory_in(PyObject* self) {
    return reinterpret_cast<TensorObject*>(self)->memory;
}

struct Format {
    const char* name;  // of the buffer protocol
    std::uint8_t code;
    std::uint8_t bits;
    const char* dtype;
};

constexpr Format kFormats[] = {
    {"f", 2, 32, "float32"}, {"d", 2, 64, "float64"}, {"e", 2, 16, "float16"},
    {"q", 0, 64, "int64"},   {"l", 0, 64, "int64"},   {"i", 0, 32, "int32"},
    {"h", 0, 16, "int16"},   {"b", 0, 8, "int8"},     {"B", 1, 8, "uint8"},
    {"?", 6, 8, "bool"},     {"", 4, 16, "bfloat16"}};

const Format& format_of(const ptp_tensor_view& view) {
    return *std::ranges::find_if(kFormats, [&](const Format& format) {
        return format.code == view.type_code && format.bits == view.type_bits;
    });
}

// ---- A buffer ----

bool is_row_major(const ptp_tensor_view& view) {
    std::int64_t next = 1;
    for (std::int32_t i = view.rank; i-- > 0;) {
        if (view.shape[i] != 1 && view.strides[i] != next) {
            return false;
        }
        next *= view.shape[i];
    }
    return true;
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
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !is_row_major(view)) {
        return refuse_buffer("the tensor is not row-major");
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
    buffer->buf = view.data;
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

void delete_managed(ManagedTensor* managed) {
    delete static_cast<Memory*>(managed->context);
    delete managed;
}

void delete_capsule(PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, kCapsule) != 0) {
        auto* managed = static_cast<ManagedTensor*>(PyCapsule_GetPointer(capsule, kCapsule));
        managed->deleter(managed);
    }
}

// Its arguments (stream, max_version and so on) ask for what need not be done.
PyObject* dlpack(PyObject* self, PyObject*, PyObject*) {
    auto memory = std::make_unique<Memory>(memory_in(self));
    auto managed = std::make_unique<ManagedTensor>();
    managed->tensor = memory->view;
    managed->deleter = delete_managed;
    PyObject* const capsule = PyCapsule_New(managed.get(), kCapsule, delete_capsule);
    if (capsule != nullptr) {
        managed->context = memory.release();
        static_cast<void>(managed.release());
    }
    return capsule;
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
     METH_VARARGS | METH_KEYWORDS, "The tensor's own memory, by DLPack."},
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

// ---- What comes back ----

// Releases from any thread, and not once Python has ended.
std::shared_ptr<void> released_with_lock(void* owned, void (*release)(void*)) {
    return {owned, [release](void* kept) {
                if (Py_IsInitialized() != 0) {
                    const Lock lock;
                    release(kept);
                }
            }};
}

Memory memory_of_capsule(PyObject* capsule) {
    auto* managed = static_cast<ManagedTensor*>(PyCapsule_GetPointer(capsule, kCapsule));
    if (managed == nullptr) {
        throw Raised();
    }
    require_success(PyCapsule_SetName(capsule, kUsedCapsule));
    Memory memory;
    memory.view = managed->tensor;
    memory.owner = released_with_lock(managed, [](void* kept) {
        auto* taken = static_cast<ManagedTensor*>(kept);
        if (taken->deleter != nullptr) {
            taken->deleter(taken);
        }
    });
    return memory;
}

struct Copy {
    std::vector<char> bytes;
    std::vector<std::int64_t> shape;
};

Memory memory_of_copy(std::shared_ptr<Copy> copy, std::string_view format) {
    // "@l" and "<f" are of this machine, too.
    if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<')) {
        format.remove_prefix(1);
    }
    const auto* found =
        std::ranges::find_if(kFormats, [&](const Format& known) { return known.name == format; });
    if (found == std::end(kFormats)) {
        throw DataError("a buffer from Python has the format '", format, "', which no tensor has");
    }
    Memory memory;
    memory.view = {.data = copy->bytes.data(),
                   .device_type = 1,
                   .device_id = 0,
                   .rank = static_cast<std::int32_t>(copy->shape.size()),
                   .type_code = found->code,
                   .type_bits = found->bits,
                   .type_lanes = 1,
                   .shape = copy->shape.data(),
                   .strides = nullptr,
                   .byte_offset = 0};
    memory.owner = std::move(copy);
    return memory;
}

class Buffer {
public:
    Buffer(PyObject* object, int flags) {
        require_success(PyObject_GetBuffer(object, &buffer_, flags));
    }
    ~Buffer() { PyBuffer_Release(&buffer_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    Py_buffer& get() { return buffer_; }

private:
    Py_buffer buffer_{};
};

std::shared_ptr<Copy> copy_of(Py_buffer& buffer) {
    auto copy = std::make_shared<Copy>();
    copy->bytes.resize(static_cast<std::size_t>(buffer.len));
    require_success(PyBuffer_ToContiguous(copy->bytes.data(), &buffer, buffer.len, 'C'));
    return copy;
}

Memory copy_of_object(PyObject* object) {
    Buffer buffer(object, PyBUF_FULL_RO);
    auto copy = copy_of(buffer.get());
    copy->shape.assign(buffer.get().shape, buffer.get().shape + buffer.get().ndim);
    return memory_of_copy(std::move(copy),
                          buffer.get().format == nullptr ? "B" : buffer.get().format);
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

Memory memory_of_object(PyObject* object) {
    if (PyObject_HasAttrString(object, "__dlpack__") != 0) {
        PyObject* const capsule = PyObject_CallMethod(object, "__dlpack__", nullptr);
        if (capsule != nullptr) {
            const Object owned(capsule);
            return memory_of_capsule(capsule);
        }
        // Arrays that are read-only have a buffer all the same.
        if (PyObject_CheckBuffer(object) == 0) {
            throw Raised();
        }
        PyErr_Clear();
    }
    return PyObject_CheckBuffer(object) != 0 ? copy_of_object(object) : Memory();
}

Memory memory_of_buffer(PyObject* buffer, const char* format, PyObject* shape) {
    Buffer bytes(buffer, PyBUF_FULL_RO);
    auto copy = copy_of(bytes.get());
    const Object sizes(PySequence_Fast(shape, "a shape is a list"));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sizes.get()); ++i) {
        copy->shape.push_back(PyLong_AsLongLong(PySequence_Fast_GET_ITEM(sizes.get(), i)));
    }
    return memory_of_copy(std::move(copy), format);
}

}  // namespace ptp::python
