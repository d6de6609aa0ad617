// Takes some of the samples of tensors, texts and lists, and puts parts together in the order of
// the batch.

#include "engine/component/sample_parts.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace ptp::engine {

namespace {

// Returns the dimension of the samples; the first where none is declared to be it.
std::int64_t batch_dimension(const pipeline::Binding& binding) {
    const auto found =
        std::ranges::find(binding.shape, pipeline::kBatchSymbol, &pipeline::Dimension::symbol);
    return binding.has_shape && found != binding.shape.end() ? found - binding.shape.begin() : 0;
}

// Returns whether a declared shape says that no dimension is that of the samples: "3, 3".
bool is_without_samples(const pipeline::Binding& binding) {
    const auto is_any_size = [](const pipeline::Dimension& dimension) {
        return dimension.symbol == pipeline::kBatchSymbol ||
               (dimension.symbol < 0 && !dimension.size);
    };
    return binding.has_shape && std::ranges::none_of(binding.shape, is_any_size);
}

at::Tensor as_index(const Places& places, at::Device device) {
    return at::from_blob(const_cast<std::int64_t*>(places.data()),
                         {static_cast<std::int64_t>(places.size())}, at::TensorOptions(at::kLong))
        .to(device, at::kLong, false, true);
}

// Copies the places of a dimension, in the order in memory that the tensor has: channels last.
at::Tensor selected(const at::Tensor& tensor, std::int64_t dimension, const Places& places) {
    return tensor.index_select(dimension, as_index(places, tensor.device()))
        .contiguous(tensor.suggest_memory_format());
}

// Texts that are put together from samples of others.
class JoinedText {
public:
    void add(const TextBuffer& from, std::int64_t sample) {
        const auto number = static_cast<std::uint64_t>(sample);
        has_rows_ = from.rows != nullptr;
        const std::uint64_t begin = has_rows_ ? from.rows[number] : number;
        const std::uint64_t end = has_rows_ ? from.rows[number + 1] : number + 1;
        for (std::uint64_t i = begin; i < end; ++i) {
            const std::string_view text = from.string(i);
            bytes_.insert(bytes_.end(), text.begin(), text.end());
            offsets_.push_back(bytes_.size());
        }
        rows_.push_back(offsets_.size() - 1);
    }
    void write(TextBuffer& to) const {
        to.assign({bytes_.data(), offsets_.data(), offsets_.size() - 1,
                   has_rows_ ? rows_.data() : nullptr, has_rows_ ? rows_.size() - 1 : 0});
    }

private:
    std::vector<char> bytes_;
    std::vector<std::uint64_t> offsets_ = {0};
    std::vector<std::uint64_t> rows_ = {0};
    bool has_rows_ = false;
};

// Returns for each place of the batch its place among the parts one after the other.
Places places_in_parts(const std::vector<SamplePart>& parts) {
    std::size_t count = 0;
    for (const SamplePart& part : parts) {
        count += part.places.size();
    }
    Places found(count);
    std::int64_t next = 0;
    for (const SamplePart& part : parts) {
        for (const std::int64_t place : part.places) {
            found[static_cast<std::size_t>(place)] = next++;
        }
    }
    return found;
}

bool are_alike(const at::Tensor& one, const at::Tensor& other, std::int64_t dimension) {
    bool alike = one.scalar_type() == other.scalar_type() && one.dim() == other.dim();
    for (std::int64_t i = 0; alike && i < one.dim(); ++i) {
        alike = i == dimension || one.size(i) == other.size(i);
    }
    return alike;
}

std::optional<UnlikeParts> join_tensors(const std::vector<SamplePart>& parts, std::size_t output,
                                        std::int64_t dimension, at::Tensor& to) {
    std::vector<at::Tensor> tensors;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const at::Tensor& tensor = parts[i].outputs[output].tensor;
        if (!tensor.defined()) {
            return std::nullopt;  // the check of what is written names it
        }
        if (i > 0 && !are_alike(tensors.front(), tensor, dimension)) {
            return UnlikeParts{0, i, type_and_sizes(tensors.front()), type_and_sizes(tensor)};
        }
        tensors.push_back(tensor);
    }
    const at::Tensor all = at::cat(tensors, dimension);
    to = selected(all, dimension, places_in_parts(parts));
    return std::nullopt;
}

}  // namespace

BatchSamples samples_at(const BatchSamples& samples, const Places& places) {
    BatchSamples some;
    some.indices = samples.indices.index_select(0, as_index(places, at::kCPU));
    for (const std::int64_t place : places) {
        some.seeds.push_back(samples.seeds[static_cast<std::size_t>(place)]);
    }
    some.epoch = samples.epoch;
    some.is_training = samples.is_training;
    return some;
}

void take_samples(const ptp_value* from, const pipeline::Binding& binding, const Places& places,
                  std::int64_t count, Slot& to) {
    if (is_tensor(to.element)) {
        const at::Tensor& tensor = as_tensor(from);
        const std::int64_t dimension = batch_dimension(binding);
        const bool has_samples = !is_without_samples(binding) && tensor.defined() &&
                                 tensor.dim() > dimension && tensor.size(dimension) == count;
        to.tensor = has_samples ? selected(tensor, dimension, places) : tensor;
    } else if (to.element == PTP_TENSOR_LIST) {
        const std::vector<at::Tensor>& list = as_list(from).tensors();
        to.list.resize(places.size());
        for (std::size_t i = 0; i < places.size(); ++i) {
            to.list.tensors()[i] = list[static_cast<std::size_t>(places[i])];
        }
    } else {
        JoinedText joined;
        for (const std::int64_t place : places) {
            joined.add(as_text(from), place);
        }
        joined.write(to.text);
    }
}

std::optional<std::int64_t> written_samples(const Slot& slot, const pipeline::Binding& binding) {
    const std::int64_t dimension = batch_dimension(binding);
    if (is_tensor(slot.element)) {
        return slot.tensor.defined() && slot.tensor.dim() > dimension
                   ? std::optional(slot.tensor.size(dimension))
                   : std::nullopt;
    }
    const bool is_list = slot.element == PTP_TENSOR_LIST;
    if (is_list ? !slot.list.is_written() : !slot.text.is_written()) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(is_list                     ? slot.list.tensors().size()
                                     : slot.text.rows != nullptr ? slot.text.row_count
                                                                 : slot.text.string_count);
}

std::optional<UnlikeParts> join_samples(const std::vector<SamplePart>& parts, std::size_t output,
                                        const pipeline::Binding& binding, ptp_value* to) {
    const ptp_element element = parts.front().outputs[output].element;
    if (is_tensor(element)) {
        return join_tensors(parts, output, batch_dimension(binding), as_tensor(to));
    }
    std::vector<std::pair<const Slot*, std::int64_t>> samples;  // of the batch, in its order
    for (const SamplePart& part : parts) {
        for (std::size_t i = 0; i < part.places.size(); ++i) {
            const auto place = static_cast<std::size_t>(part.places[i]);
            samples.resize(std::max(samples.size(), place + 1));
            samples[place] = {&part.outputs[output], static_cast<std::int64_t>(i)};
        }
    }
    if (element == PTP_TENSOR_LIST) {
        as_list(to).resize(samples.size());
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const auto& [slot, place] = samples[i];
            as_list(to).tensors()[i] = slot->list.tensors()[static_cast<std::size_t>(place)];
        }
        return std::nullopt;
    }
    JoinedText joined;
    for (const auto& [slot, place] : samples) {
        joined.add(slot->text, place);
    }
    joined.write(as_text(to));
    return std::nullopt;
}

}  // namespace ptp::engine
