// Chooses the samples of a pass, and makes their streams small.

#include "engine/output/sample_examples.hpp"

#include "base/random.hpp"
#include "engine/output/event.hpp"

#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

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

// Returns [N, C, H, W] for rows that can be shown as images; nullopt for others.
std::optional<at::Tensor> as_images(const at::Tensor& rows) {
    const bool are_planes = rows.dim() == 3;
    const bool have_channels = rows.dim() == 4 && (rows.size(1) == 1 || rows.size(1) == 3);
    if ((!are_planes && !have_channels) || rows.size(-1) < kFewestPixels ||
        rows.size(-2) < kFewestPixels || rows.is_complex()) {
        return std::nullopt;
    }
    return are_planes ? rows.unsqueeze(1) : rows;
}

// Returns images [N, C, H, W] of at most kExamplePixels a side.
at::Tensor small_images(const at::Tensor& images) {
    const std::int64_t side = std::max(images.size(2), images.size(3));
    if (side <= kExamplePixels) {
        return images;
    }
    const auto scaled = [&](std::int64_t size) {
        return std::max<std::int64_t>(1, size * kExamplePixels / side);
    };
    const at::Tensor averaged = at::adaptive_avg_pool2d(
        images.to(at::kFloat), {scaled(images.size(2)), scaled(images.size(3))});
    return images.scalar_type() == at::kByte ? averaged.round().to(at::kByte) : averaged;
}

// Returns bytes [N, H, W] with the class of each place, 255 for none, of at most kExamplePixels a
// side; of scores [N, C, H, W] the class is that with the highest one. nullopt for anything else.
std::optional<at::Tensor> class_maps(const at::Tensor& rows) {
    at::Tensor classes = rows;
    if (rows.is_floating_point()) {
        if (rows.dim() != 4 || rows.size(1) < 2) {
            return std::nullopt;
        }
        classes = rows.argmax(1);
    } else if (rows.dim() == 4 && rows.size(1) == 1) {
        classes = rows.squeeze(1);
    }
    if (classes.dim() != 3 || classes.size(1) < kFewestPixels || classes.size(2) < kFewestPixels) {
        return std::nullopt;
    }
    const std::int64_t side = std::max(classes.size(1), classes.size(2));
    if (const std::int64_t step = (side + kExamplePixels - 1) / kExamplePixels; step > 1) {
        classes =
            classes.slice(1, step / 2, at::nullopt, step).slice(2, step / 2, at::nullopt, step);
    }
    constexpr std::int64_t kNoClass = 255;
    const at::Tensor is_known = (classes >= 0).logical_and(classes < kNoClass);
    return classes.masked_fill(is_known.logical_not(), kNoClass).to(at::kByte);
}

// Returns the beginning of a text, filled up with zeros.
std::string text_bytes(std::string_view text) {
    std::size_t size = std::min<std::size_t>(text.size(), kMaxTextBytes);
    while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) >> 6U) == 2) {
        --size;  // the middle of a character of UTF-8
    }
    std::string bytes(text.substr(0, size));
    bytes.resize(kMaxTextBytes, '\0');
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
        if (node.writes_on(place)) {
            find_results(node);
        }
    }
}

// Adds the texts that a component writes, and the classes that a loss compares place by place.
void Examples::find_results(const pipeline::Node& node) {
    for (const pipeline::Binding& output : node.outputs) {
        if (output.stream >= 0 && plugin::is_text(plan_.stream(output.stream).element)) {
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

std::set<int> Examples::streams(const Frame& frame) const {
    std::set<int> streams = texts_;
    for (const int stream : class_maps_) {
        if (frame[stream].tensor.defined() && frame[stream].tensor.dim() > 2) {
            streams.insert(stream);
        }
    }
    for (const pipeline::Binding& output : task_.outputs) {
        streams.insert(output.stream);
    }
    std::erase_if(streams, [&](int stream) { return stream < 0 || frame[stream].is_dropped; });
    return streams;
}

void Examples::copy(const Frame& frame, const std::vector<std::int64_t>& places,
                    const std::vector<Kept*>& samples) {
    const at::Tensor selected = at::tensor(places, at::kLong);
    for (const int stream : streams(frame)) {
        const Slot& slot = frame[stream];
        if (slot.element == PTP_STRING || slot.element == PTP_TOKENS) {
            copy_texts(stream, slot.text, places, samples);
        } else if (is_tensor(slot.element) && slot.tensor.defined() && slot.tensor.dim() > 0 &&
                   places.back() < slot.tensor.size(0)) {
            const at::Tensor rows = slot.tensor.detach();
            copy_rows(stream, rows.index_select(0, selected.to(rows.device())).to(at::kCPU),
                      samples);
        }
    }
}

void Examples::copy_texts(int stream, const TextBuffer& text,
                          const std::vector<std::int64_t>& places,
                          const std::vector<Kept*>& samples) {
    const std::string& name = plan_.stream(stream).name;
    forms_[name] = kTextForm;
    for (std::size_t i = 0; i < places.size(); ++i) {
        samples[i]->streams[name] = {
            .sizes = {static_cast<std::int64_t>(kMaxTextBytes)},
            .type = at::kByte,
            .bytes = text_bytes(text_of_sample(text, static_cast<std::size_t>(places[i])))};
    }
}

void Examples::copy_rows(int stream, const at::Tensor& rows, const std::vector<Kept*>& samples) {
    const at::Tensor kept = kept_form(stream, rows);
    if (!kept.defined()) {
        return;
    }
    const at::Tensor dense = kept.contiguous();
    const std::size_t size = dense.nbytes() / samples.size();
    const auto* const bytes = static_cast<const char*>(dense.data_ptr());
    for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i]->streams[plan_.stream(stream).name] = {
            .sizes = dense.sizes().slice(1).vec(),
            .type = dense.scalar_type(),
            .bytes = std::string(bytes + i * size, size)};
    }
}

at::Tensor Examples::kept_form(int stream, const at::Tensor& rows) {
    const std::string& name = plan_.stream(stream).name;
    const bool is_given = task_.writes(stream);
    // An image that a loss reads is given as real numbers, and is no map of classes.
    if (class_maps_.contains(stream) && (!is_given || !rows.is_floating_point())) {
        if (const std::optional<at::Tensor> classes = class_maps(rows)) {
            forms_[name] = kClassesForm;
            return *classes;
        }
    }
    if (!is_given) {
        return {};
    }
    if (const std::optional<at::Tensor> images = as_images(rows)) {
        forms_[name] = kImageForm;
        return small_images(*images);
    }
    forms_[name] = kValuesForm;
    return rows.reshape({rows.size(0), rows.numel() / rows.size(0)})
        .slice(1, 0, kMaxValues)
        .to(at::kFloat);
}

at::Tensor Examples::stacked(const std::vector<const Row*>& rows) {
    std::vector<std::int64_t> sizes = rows.front()->sizes;
    sizes.insert(sizes.begin(), static_cast<std::int64_t>(rows.size()));
    at::Tensor tensor = at::empty(sizes, rows.front()->type);
    auto* to = static_cast<char*>(tensor.data_ptr());
    for (const Row* row : rows) {
        std::memcpy(to, row->bytes.data(), row->bytes.size());
        to += row->bytes.size();
    }
    return tensor;
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
    std::vector<std::int64_t> places;
    std::vector<Kept*> samples;
    for (std::size_t place = 0; place < batch.size(); ++place) {
        const auto found = kept_.find(batch[place].index);
        if (found != kept_.end() && !found->second.is_copied) {
            found->second.is_copied = true;
            places.push_back(static_cast<std::int64_t>(place));
            samples.push_back(&found->second);
        }
    }
    if (!places.empty()) {
        copy(frame, places, samples);
    }
}

std::map<std::string, std::string> Examples::write(TensorsByName& tensors) const {
    std::vector<std::int64_t> indices;
    std::map<std::string, std::vector<const Row*>> rows;
    for (const auto& [index, kept] : kept_) {
        indices.push_back(index);
        for (const auto& [name, row] : kept.streams) {
            rows[name].push_back(&row);
        }
    }
    tensors.emplace_back("example/index", at::tensor(indices, at::kLong));
    std::map<std::string, std::string> forms;
    for (const auto& [name, list] : rows) {
        const bool is_regular =
            list.size() == indices.size() && std::ranges::all_of(list, [&](const Row* row) {
                return row->sizes == list.front()->sizes && row->type == list.front()->type;
            });
        if (is_regular) {  // values of different lengths, which no one tensor holds, are left out
            const at::Tensor all = stacked(list);
            forms[name] = forms_.at(name);
            tensors.emplace_back("example/" + name,
                                 forms[name] == kImageForm ? pixels_of_each(all) : all);
        }
    }
    return forms;
}

}  // namespace ptp::engine
