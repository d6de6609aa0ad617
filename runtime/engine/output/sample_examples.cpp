// Chooses the samples of a pass, and makes their streams small.

#include "engine/output/sample_examples.hpp"

#include "base/random.hpp"
#include "engine/output/event.hpp"

#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

namespace ptp::engine {

namespace {

constexpr std::size_t kOfEachConfusion = 4;
constexpr std::int64_t kMaxValues = 64;
constexpr std::uint64_t kMaxTextBytes = 400;
constexpr std::int64_t kFewestPixels = 4;  // of an image's height and width
constexpr const char* kImageForm = "image";
constexpr const char* kTextForm = "text";
constexpr const char* kValuesForm = "values";
constexpr const char* kClassesForm = "classes";

// Returns [C, H, W] for what can be shown as an image; nullopt for other values of a sample.
std::optional<at::Tensor> as_image(const at::Tensor& sample) {
    const bool is_plane = sample.dim() == 2;
    const bool has_channels = sample.dim() == 3 && (sample.size(0) == 1 || sample.size(0) == 3);
    if ((!is_plane && !has_channels) || sample.size(-1) < kFewestPixels ||
        sample.size(-2) < kFewestPixels || sample.is_complex()) {
        return std::nullopt;
    }
    return is_plane ? sample.unsqueeze(0) : sample;
}

// Returns a copy [C, H, W] of at most kExamplePixels a side.
at::Tensor small_copy(const at::Tensor& image) {
    const std::int64_t side = std::max(image.size(1), image.size(2));
    if (side <= kExamplePixels) {
        return image.clone();
    }
    const auto scaled = [&](std::int64_t size) {
        return std::max<std::int64_t>(1, size * kExamplePixels / side);
    };
    const at::Tensor averaged = at::adaptive_avg_pool2d(
        image.to(at::kFloat), {scaled(image.size(1)), scaled(image.size(2))});
    return image.scalar_type() == at::kByte ? averaged.round().to(at::kByte) : averaged;
}

// Returns bytes [H, W] with the class of each place, 255 for none, of at most kExamplePixels a
// side; of scores [C, H, W] the class is that with the highest one. nullopt for anything else.
std::optional<at::Tensor> class_map(const at::Tensor& sample) {
    at::Tensor classes = sample;
    if (sample.is_floating_point()) {
        if (sample.dim() != 3 || sample.size(0) < 2) {
            return std::nullopt;
        }
        classes = sample.argmax(0);
    } else if (sample.dim() == 3 && sample.size(0) == 1) {
        classes = sample[0];
    }
    if (classes.dim() != 2 || classes.size(0) < kFewestPixels || classes.size(1) < kFewestPixels) {
        return std::nullopt;
    }
    const std::int64_t side = std::max(classes.size(0), classes.size(1));
    if (const std::int64_t step = (side + kExamplePixels - 1) / kExamplePixels; step > 1) {
        classes =
            classes.slice(0, step / 2, at::nullopt, step).slice(1, step / 2, at::nullopt, step);
    }
    constexpr std::int64_t kNoClass = 255;
    const at::Tensor is_known = (classes >= 0).logical_and(classes < kNoClass);
    return classes.masked_fill(is_known.logical_not(), kNoClass).to(at::kByte).contiguous();
}

at::Tensor text_bytes(std::string_view text) {
    at::Tensor bytes = at::zeros({static_cast<std::int64_t>(kMaxTextBytes)}, at::kByte);
    std::size_t size = std::min<std::size_t>(text.size(), kMaxTextBytes);
    while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) >> 6U) == 2) {
        --size;  // the middle of a character of UTF-8
    }
    std::memcpy(bytes.data_ptr(), text.data(), size);
    return bytes;
}

// Returns the string of a sample, or its tokens with blanks between them; "" for another layout.
std::string text_of_sample(const TextBuffer& text, std::size_t place) {
    if (text.rows == nullptr) {
        return place < text.string_count ? std::string(text.string(place)) : "";
    }
    std::string joined;
    for (std::uint64_t i = place < text.row_count ? text.rows[place] : 0;
         place < text.row_count && i < text.rows[place + 1] && joined.size() < kMaxTextBytes; ++i) {
        joined += (joined.empty() ? "" : " ") + std::string(text.string(i));
    }
    return joined;
}

}  // namespace

Examples::Examples(std::size_t limit, const pipeline::Plan& plan, const pipeline::Node& task)
    : plan_(plan),
      task_(task),
      worst_{.limit = limit / 2},
      best_{.limit = limit / 8},
      drawn_{.limit = limit / 8},
      confusions_left_(limit - limit / 2 - limit / 8 - limit / 8) {
    const auto place = static_cast<std::size_t>(&task - plan.tasks.data());
    for (const pipeline::Node& node : plan.nodes) {
        if (node.runs_on(place)) {
            find_results(node);
        }
    }
}

// Adds the texts that a component writes, and the classes that a loss compares place by place.
void Examples::find_results(const pipeline::Node& node) {
    for (const pipeline::Binding& output : node.outputs) {
        if (output.stream >= 0 &&
            (plan_.stream(output.stream).element == plugin::Element::kString ||
             plan_.stream(output.stream).element == plugin::Element::kTokens)) {
            texts_.insert(output.stream);
        }
    }
    const pipeline::Binding* const targets = node.input_for(plugin::Purpose::kTargets);
    if (node.component->kind != plugin::Kind::kLoss || targets == nullptr) {
        return;
    }
    for (const pipeline::Binding& input : node.inputs) {
        if (input.stream >= 0 && input.stream != targets->stream &&
            plan_.stream(input.stream).element == plugin::Element::kFloating &&
            plan_.stream(targets->stream).element == plugin::Element::kInteger) {
            class_maps_.insert({targets->stream, input.stream});
        }
    }
}

void Examples::offer(Choice& choice, Place place) {
    if (choice.limit == 0 ||
        (choice.kept.size() == choice.limit && *choice.kept.rbegin() <= place)) {
        return;
    }
    if (choice.kept.size() == choice.limit) {
        const auto last = std::prev(choice.kept.end());
        const auto found = kept_.find(last->second);
        if (--found->second.uses == 0) {
            kept_.erase(found);
        }
        choice.kept.erase(last);
    }
    choice.kept.insert(place);
    ++kept_[place.second].uses;
}

std::map<std::string, at::Tensor> Examples::streams_of(const Frame& frame, std::size_t place) {
    std::map<std::string, at::Tensor> streams;
    std::set<int> wanted = texts_;
    wanted.insert(class_maps_.begin(), class_maps_.end());
    for (const pipeline::Binding& output : task_.outputs) {
        wanted.insert(output.stream);
    }
    for (const int stream : wanted) {
        if (stream < 0 || frame[stream].is_dropped) {
            continue;
        }
        const Slot& slot = frame[stream];
        const std::string& name = plan_.stream(stream).name;
        if (slot.element == PTP_STRING || slot.element == PTP_TOKENS) {
            streams[name] = text_bytes(text_of_sample(slot.text, place));
            forms_[name] = kTextForm;
        } else if (is_tensor(slot.element) && slot.tensor.defined() && slot.tensor.dim() > 0 &&
                   static_cast<std::int64_t>(place) < slot.tensor.size(0)) {
            const at::Tensor sample =
                slot.tensor[static_cast<std::int64_t>(place)].detach().to(at::kCPU);
            add_tensor(stream, sample, streams);
        }
    }
    return streams;
}

void Examples::add_tensor(int stream, const at::Tensor& sample,
                          std::map<std::string, at::Tensor>& streams) {
    const std::string& name = plan_.stream(stream).name;
    const bool is_given = task_.writes(stream);
    // An image that a loss reads is given as real numbers, and is no map of classes.
    if (class_maps_.contains(stream) && (!is_given || !sample.is_floating_point())) {
        if (const std::optional<at::Tensor> classes = class_map(sample)) {
            streams[name] = *classes;
            forms_[name] = kClassesForm;
            return;
        }
    }
    if (!is_given) {
        return;
    }
    const std::optional<at::Tensor> image = as_image(sample);
    streams[name] = image ? small_copy(*image)
                          : sample.flatten().slice(0, 0, kMaxValues).to(at::kFloat).clone();
    forms_[name] = image ? kImageForm : kValuesForm;
}

void Examples::add(const Frame& frame, const std::vector<ExampleFacts>& batch) {
    for (std::size_t place = 0; place < batch.size(); ++place) {
        const ExampleFacts& facts = batch[place];
        if (kept_.contains(facts.index)) {  // drawn twice by the sampler
            continue;
        }
        // 53 bits of the hash, exact as a real
        const auto drawn =
            static_cast<double>(mixed(static_cast<std::uint64_t>(facts.index)) >> 11U);
        offer(drawn_, {drawn, facts.index});
        if (!std::isnan(facts.loss)) {
            offer(worst_, {-facts.loss, facts.index});
            offer(best_, {facts.loss, facts.index});
        }
        if (facts.target >= 0 && facts.predicted >= 0 && facts.target != facts.predicted) {
            Choice& confusion = confusions_[{facts.target, facts.predicted}];
            if (confusion.limit < kOfEachConfusion && confusions_left_ > 0) {
                ++confusion.limit;
                --confusions_left_;
            }
            offer(confusion, {drawn, facts.index});
        }
    }
    // A sample that the rest of the batch has replaced needs no copy.
    for (std::size_t place = 0; place < batch.size(); ++place) {
        const auto found = kept_.find(batch[place].index);
        if (found != kept_.end() && found->second.streams.empty()) {
            found->second.streams = streams_of(frame, place);
        }
    }
}

std::map<std::string, std::string> Examples::write(TensorsByName& tensors) const {
    std::vector<std::int64_t> indices;
    std::map<std::string, std::vector<at::Tensor>> rows;
    for (const auto& [index, kept] : kept_) {
        indices.push_back(index);
        for (const auto& [name, row] : kept.streams) {
            rows[name].push_back(forms_.at(name) == kImageForm ? pixels_of(row) : row);
        }
    }
    tensors.emplace_back("example/index", at::tensor(indices, at::kLong));
    std::map<std::string, std::string> forms;
    for (const auto& [name, list] : rows) {
        const bool is_regular =
            list.size() == indices.size() && std::ranges::all_of(list, [&](const at::Tensor& row) {
                return row.sizes() == list.front().sizes();
            });
        if (is_regular) {  // values of different lengths, which no one tensor holds, are left out
            tensors.emplace_back("example/" + name, at::stack(list).contiguous());
            forms[name] = forms_.at(name);
        }
    }
    return forms;
}

}  // namespace ptp::engine
