// Packs the values of streams as bytes, and joins those of all processes to a whole batch.

#include "engine/distributed/observed_values.hpp"

#include "base/error.hpp"
#include "engine/component/batch_cut.hpp"
#include "engine/distributed/packed_state.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace ptp::engine {

namespace {

// Returns the parts of a text as tensors that share its memory: bytes, offsets and rows. They are
// undefined if it was not written; rows also if it has no lists of tokens.
std::array<at::Tensor, 3> tensors_of(const TextBuffer& text) {
    if (!text.is_written()) {
        return {};
    }
    const auto view = [](const void* data, std::uint64_t count, at::ScalarType type) {
        return at::from_blob(const_cast<void*>(data),  // NOLINT: it is only read
                             {static_cast<std::int64_t>(count)}, type);
    };
    return {view(text.bytes, text.offsets[text.string_count], at::kByte),
            view(text.offsets, text.string_count + 1, at::kLong),
            text.rows == nullptr ? at::Tensor() : view(text.rows, text.row_count + 1, at::kLong)};
}

// Adds the tensors of a value; of a list, the number of its tensors first.
void add_tensors(const Slot& slot, std::vector<at::Tensor>& all) {
    if (is_tensor(slot.element)) {
        all.push_back(slot.tensor);
    } else if (slot.element == PTP_TENSOR_LIST) {
        const std::vector<at::Tensor>& list = slot.list.tensors();
        all.push_back(at::scalar_tensor(static_cast<std::int64_t>(list.size()), at::kLong));
        all.insert(all.end(), list.begin(), list.end());
    } else {
        const auto parts = tensors_of(slot.text);
        all.insert(all.end(), parts.begin(), parts.end());
    }
}

// The tensors of one process, in the order in which they were added.
class Reader {
public:
    explicit Reader(const at::Tensor& packed) : tensors_(unpacked_tensors(packed)) {}

    at::Tensor tensor() { return tensors_.at(next_++); }

private:
    std::vector<at::Tensor> tensors_;
    std::size_t next_ = 0;
};

// Returns the mean of tensors that do not consist of samples, each the mean over the samples of one
// process.
at::Tensor mean_of(const std::vector<at::Tensor>& tensors, const std::vector<double>& weights) {
    double weight = 0;
    at::Tensor sum;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const at::Tensor part = tensors[i].to(at::kDouble).mul(weights[i]);
        sum = sum.defined() ? sum.add(part) : part;
        weight += weights[i];
    }
    return sum.div(weight).to(tensors.front().scalar_type());
}

bool has_one_size(const std::vector<at::Tensor>& tensors) {
    return std::ranges::all_of(tensors, [&](const at::Tensor& tensor) {
        return tensor.sizes() == tensors.front().sizes();
    });
}

// Returns whether each has as many rows as its process has samples.
bool are_of_samples(const std::vector<at::Tensor>& tensors, const std::vector<double>& counts) {
    return std::ranges::equal(tensors, counts, [](const at::Tensor& tensor, double count) {
        return static_cast<double>(tensor.size(0)) == count;
    });
}

at::Tensor whole_tensor(const pipeline::Plan& plan, int stream,
                        const std::vector<at::Tensor>& tensors,
                        const std::vector<double>& weights) {
    const at::Tensor& first = tensors.front();
    const pipeline::Stream& about = plan.streams[static_cast<std::size_t>(stream)];
    const std::optional<std::int64_t> dimension = dimension_of_parts(plan, stream);
    const auto is_written = [](const at::Tensor& tensor) { return tensor.defined(); };
    if (std::ranges::none_of(tensors, is_written)) {
        return first;
    }
    if (!std::ranges::all_of(tensors, is_written)) {
        throw RunError(kTrainingError,
                       fmt::format("the stream '{}' has a value in some processes, and none in "
                                   "others: its component must write it for each batch or for none",
                                   about.name));
    }
    if (first.dim() == 0 && !has_one_size(tensors)) {
        throw RunError(
            kTrainingError,
            fmt::format("the stream '{}' of the processes does not make one batch: it is "
                        "a number in some processes, and not in others",
                        about.name));
    }
    if (first.dim() == 0) {
        return first.is_floating_point() ? mean_of(tensors, weights) : first;
    }
    if (!dimension || *dimension >= first.dim()) {
        return first;
    }
    // Without a declared shape, only the size shows whether it consists of samples.
    if (!about.has_shape && has_one_size(tensors) && !are_of_samples(tensors, weights)) {
        return first;
    }
    try {
        return at::cat(tensors, *dimension);
    } catch (const c10::Error& error) {
        throw RunError(kTrainingError,
                       fmt::format("the stream '{}' of the processes does not make one batch: {}",
                                   about.name, error.what_without_backtrace()));
    }
}

// Concatenates the texts of all processes.
void read_strings(std::vector<Reader>& readers, TextBuffer& into) {
    std::vector<at::Tensor> bytes;
    std::vector<at::Tensor> offsets = {at::zeros({1}, at::kLong)};
    std::vector<at::Tensor> rows = offsets;
    std::int64_t byte_count = 0;
    std::int64_t string_count = 0;
    for (Reader& reader : readers) {
        const at::Tensor own_bytes = reader.tensor();
        const at::Tensor own_offsets = reader.tensor();
        const at::Tensor own_rows = reader.tensor();
        if (!own_offsets.defined()) {
            continue;
        }
        bytes.push_back(own_bytes);
        offsets.push_back(own_offsets.slice(0, 1).add(byte_count));
        if (own_rows.defined()) {
            rows.push_back(own_rows.slice(0, 1).add(string_count));
        }
        byte_count += own_bytes.numel();
        string_count += own_offsets.numel() - 1;
    }
    if (bytes.empty()) {
        return;
    }
    const at::Tensor all_bytes = at::cat(bytes);
    const at::Tensor all_offsets = at::cat(offsets);
    const at::Tensor all_rows = at::cat(rows);
    ptp_text all{};
    all.bytes = static_cast<const char*>(all_bytes.data_ptr());
    all.offsets = static_cast<const std::uint64_t*>(all_offsets.data_ptr());
    all.string_count = static_cast<std::uint64_t>(string_count);
    if (rows.size() > 1) {
        all.rows = static_cast<const std::uint64_t*>(all_rows.data_ptr());
        all.row_count = static_cast<std::uint64_t>(all_rows.numel() - 1);
    }
    into.assign(all);
}

void read_value(const pipeline::Plan& plan, int stream, std::vector<Reader>& readers,
                const std::vector<double>& weights, Slot& into, at::Device device) {
    if (is_tensor(into.element)) {
        std::vector<at::Tensor> tensors;
        for (Reader& reader : readers) {
            tensors.push_back(reader.tensor());
        }
        into.tensor = whole_tensor(plan, stream, tensors, weights);
        if (into.tensor.defined()) {
            into.tensor = into.tensor.to(device);
        }
    } else if (into.element == PTP_TENSOR_LIST) {
        std::vector<at::Tensor> tensors;
        for (Reader& reader : readers) {
            for (auto left = reader.tensor().item<std::int64_t>(); left > 0; --left) {
                const at::Tensor tensor = reader.tensor();
                tensors.push_back(tensor.defined() ? tensor.to(device) : tensor);
            }
        }
        into.list.resize(tensors.size());
        into.list.tensors() = std::move(tensors);
    } else {
        read_strings(readers, into.text);
    }
}

at::Device device_of(const Slot& slot) {
    if (slot.tensor.defined()) {
        return slot.tensor.device();
    }
    const bool has_items = !slot.list.tensors().empty() && slot.list.tensors().front().defined();
    return has_items ? slot.list.tensors().front().device() : at::Device(at::kCPU);
}

}  // namespace

at::Tensor packed_values(const Frame& frame, const std::vector<int>& streams) {
    std::vector<at::Tensor> tensors;
    for (const int stream : streams) {
        add_tensors(frame[stream], tensors);
    }
    return packed_tensors(tensors);
}

WholeValues::WholeValues(const pipeline::Plan& plan, const std::vector<int>& streams,
                         const std::vector<at::Tensor>& parts,
                         const std::vector<std::uint64_t>& counts, Frame& frame)
    : streams_(streams), frame_(frame), others_(streams.size()) {
    std::vector<Reader> readers;
    std::vector<double> weights;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].numel() > 0) {
            readers.emplace_back(parts[i]);
            weights.push_back(static_cast<double>(counts[i]));
        }
    }
    for (std::size_t i = 0; i < streams.size(); ++i) {
        others_[i].element = frame[streams[i]].element;
        read_value(plan, streams[i], readers, weights, others_[i], device_of(frame[streams[i]]));
    }
    exchange();
}

WholeValues::~WholeValues() {
    exchange();
}

void WholeValues::exchange() {
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        std::swap(frame_[streams_[i]], others_[i]);
    }
}

}  // namespace ptp::engine
