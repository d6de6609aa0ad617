// Makes Python's strings and tensors from the values of a stream, and reads results back.

#include "value_object.hpp"

#include "data_object.hpp"
#include "tensor_object.hpp"

#include <ptp/detail/host.hpp>
#include <ptp/text.hpp>

#include <vector>

namespace ptp::python {

namespace {

Object string_object(const ptp_text& text, std::uint64_t index) {
    const std::string_view string = ptp::detail::string_at(text, index);
    return text_object(string.data(), string.size());
}

// Returns the strings with the numbers from `begin` to before `end`.
Object string_list(const ptp_text& text, std::uint64_t begin, std::uint64_t end) {
    Object list(PyList_New(static_cast<Py_ssize_t>(end - begin)));
    for (std::uint64_t i = begin; i < end; ++i) {
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i - begin),
                        string_object(text, i).release());
    }
    return list;
}

Object token_lists(const ptp_text& text) {
    Object list(PyList_New(static_cast<Py_ssize_t>(text.row_count)));
    for (std::uint64_t i = 0; i < text.row_count; ++i) {
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i),
                        string_list(text, text.rows[i], text.rows[i + 1]).release());
    }
    return list;
}

Object tensor_list(const Passing& passing, const ptp_tensor_list& tensors) {
    Object list(PyList_New(static_cast<Py_ssize_t>(tensors.count)));
    for (std::uint64_t i = 0; i < tensors.count; ++i) {
        PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i),
                        tensor_object(passing.tensor_type, memory_of(*tensors.items[i])).release());
    }
    return list;
}

// The items of a list, or of any other iterable except a str.
class Items {
public:
    explicit Items(PyObject* object)
        : items_(PyUnicode_Check(object) != 0 ? nullptr : PySequence_Fast(object, "")) {}

    Py_ssize_t size() const { return PySequence_Fast_GET_SIZE(items_); }
    PyObject* operator[](Py_ssize_t i) const { return PySequence_Fast_GET_ITEM(items_, i); }
    bool is_there() const { return items_ != nullptr; }

    ~Items() { Py_XDECREF(items_); }
    Items(const Items&) = delete;
    Items& operator=(const Items&) = delete;

private:
    PyObject* items_;
};

void require_list(const Items& items, PyObject* object, const char* of_what) {
    if (!items.is_there()) {
        PyErr_Clear();
        throw DataError("expected a list of ", of_what, ", found ", Py_TYPE(object)->tp_name);
    }
}

std::vector<std::string> strings_in(PyObject* object, const char* of_what) {
    const Items items(object);
    require_list(items, object, of_what);
    std::vector<std::string> strings;
    for (Py_ssize_t i = 0; i < items.size(); ++i) {
        strings.push_back(text_of(items[i]));
    }
    return strings;
}

std::vector<std::vector<std::string>> token_lists_in(PyObject* object) {
    const Items items(object);
    require_list(items, object, "lists of str");
    std::vector<std::vector<std::string>> lists;
    for (Py_ssize_t i = 0; i < items.size(); ++i) {
        lists.push_back(strings_in(items[i], "lists of str"));
    }
    return lists;
}

void set_text_output(const ptp_host& host, ptp_value& output, const ptp::detail::FlatText& flat) {
    const ptp_text text = flat.view();
    const WithoutLock unlocked;
    ptp::detail::checked(host.set_text(host.context, &output, &text));
}

Memory memory_in_object(const Passing& passing, ptp_element element, PyObject* object) {
    Memory memory = PyTuple_Check(object) != 0 ? Memory() : memory_of_object(object);
    if (memory.owner != nullptr) {
        return memory;
    }
    Object array;
    if (PyTuple_Check(object) != 0 && PyTuple_GET_SIZE(object) == 3 &&
        PyUnicode_Check(PyTuple_GET_ITEM(object, 1)) != 0) {
        array = Object::shared(object);  // a batch, which is already such an array
    } else {
        array = Object(PyObject_CallFunction(passing.as_array, "Oi", object, element));
    }
    return memory_of_buffer(PyTuple_GetItem(array.get(), 0),
                            text_of(PyTuple_GetItem(array.get(), 1)).c_str(),
                            PyTuple_GetItem(array.get(), 2));
}

void set_tensor_output(const Passing& passing, ptp_element element, PyObject* object,
                       ptp_value& output) {
    const Memory memory = memory_in_object(passing, element, object);
    const WithoutLock unlocked;
    set_tensor(output, memory, passing.device);
}

void set_list_output(const Passing& passing, PyObject* object, ptp_value& output) {
    const Items items(object);
    require_list(items, object, "tensors");
    const ptp_host& host = passing.host;
    {
        const WithoutLock unlocked;
        ptp::detail::checked(
            host.resize_list(host.context, &output, static_cast<std::uint64_t>(items.size())));
    }
    const auto& list = reinterpret_cast<const ptp_tensor_list&>(output);
    for (Py_ssize_t i = 0; i < items.size(); ++i) {
        set_tensor_output(passing, PTP_FLOAT, items[i], *list.items[i]);
    }
}

}  // namespace

Object object_of(const Passing& passing, ptp_element element, const ptp_value& value) {
    const auto& text = reinterpret_cast<const ptp_text&>(value);
    switch (element) {
        case PTP_STRING:
            return string_list(text, 0, text.string_count);
        case PTP_TOKENS:
            return token_lists(text);
        case PTP_TENSOR_LIST:
            return tensor_list(passing, reinterpret_cast<const ptp_tensor_list&>(value));
        default:
            return tensor_object(passing.tensor_type, memory_of(value));
    }
}

void set_output(const Passing& passing, ptp_element element, PyObject* object, ptp_value& output) {
    switch (element) {
        case PTP_STRING:
            set_text_output(
                passing.host, output,
                ptp::detail::FlatText(std::span<const std::string>(strings_in(object, "str"))));
            break;
        case PTP_TOKENS:
            set_text_output(passing.host, output,
                            ptp::detail::FlatText(
                                std::span<const std::vector<std::string>>(token_lists_in(object))));
            break;
        case PTP_TENSOR_LIST:
            set_list_output(passing, object, output);
            break;
        default:
            set_tensor_output(passing, element, object, output);
    }
}

}  // namespace ptp::python
