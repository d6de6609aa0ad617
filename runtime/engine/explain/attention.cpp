// Collects softmaxes of models, finds what they are over, and puts words to their numbers.

#include "engine/explain/attention.hpp"

#include "base/ranges.hpp"
#include "pipeline/prediction.hpp"

#include <ATen/ops/stack.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace ptp::engine {

namespace {

constexpr std::int64_t kPlaceDimensions = 4;
constexpr std::int64_t kSequenceDimensions = 3;

// Returns how many words a sample of the stream has, with padding; nullopt if it has none.
std::optional<std::int64_t> length_of(const Slot& slot, std::int64_t batch_size) {
    if (slot.element == PTP_TOKENS) {
        std::uint64_t longest = 0;
        for (std::int64_t i = 0; slot.text.rows != nullptr && i < batch_size; ++i) {
            longest = std::max(longest, slot.text.rows[i + 1] - slot.text.rows[i]);
        }
        return static_cast<std::int64_t>(longest);
    }
    const bool is_mask = slot.element == PTP_BOOL;
    if (!is_tensor(slot.element) || is_mask || !slot.tensor.defined() || slot.tensor.dim() < 2 ||
        slot.tensor.size(0) != batch_size) {
        return std::nullopt;
    }
    const bool is_sequence = slot.tensor.is_floating_point()
                                 ? slot.tensor.dim() == kSequenceDimensions
                                 : slot.tensor.dim() == 2;
    return is_sequence ? std::optional(slot.tensor.size(1)) : std::nullopt;
}

// Returns the grid of places that has this many, of an image or of square patches of it.
std::optional<AttendedPlaces> places_of(const Slot& slot, std::int64_t count) {
    if (!is_tensor(slot.element) || !slot.tensor.defined() || !slot.tensor.is_floating_point() ||
        slot.tensor.dim() != kPlaceDimensions) {
        return std::nullopt;
    }
    const std::int64_t height = slot.tensor.size(2);
    const std::int64_t width = slot.tensor.size(3);
    for (std::int64_t side = 1; side <= std::min(height, width); ++side) {
        const std::int64_t places = (height / side) * (width / side);
        const bool is_grid = height % side == 0 && width % side == 0 && places > 1;
        if (is_grid && (places == count || places + 1 == count)) {
            return AttendedPlaces{
                .height = height / side, .width = width / side, .has_token = places != count};
        }
    }
    return std::nullopt;
}

// [B, ...] -> [B, heads, rows, columns]; undefined if it has another form.
at::Tensor by_heads(const at::Tensor& weights, std::int64_t batch_size) {
    const std::int64_t parts = batch_size > 0 ? weights.size(0) / batch_size : 0;
    if (parts == 0 || parts * batch_size != weights.size(0)) {
        return {};
    }
    if (weights.dim() == 2 && parts == 1) {
        return weights.unsqueeze(1).unsqueeze(1);
    }
    if (weights.dim() == 3) {
        return parts == 1 ? weights.unsqueeze(1)
                          : weights.view({batch_size, parts, weights.size(1), weights.size(2)});
    }
    return weights.dim() == 4 && parts == 1 ? weights : at::Tensor();
}

// Returns this many words: the first ones, and the numbers of others.
std::vector<std::string> filled_up(std::vector<std::string> words, std::int64_t count) {
    words.resize(static_cast<std::size_t>(std::min(std::ssize(words), count)));
    while (std::ssize(words) < count) {
        words.push_back(std::to_string(words.size() + 1));
    }
    return words;
}

// Returns the number of columns until the last that any row attends to.
std::int64_t attended(const at::Tensor& weights) {
    const at::Tensor sums = weights.sum(0).sum(0);
    std::int64_t count = sums.size(0);
    while (count > 1 && sums[count - 1].item<float>() == 0) {
        --count;
    }
    return count;
}

}  // namespace

void AttentionWatch::begin_batch(std::int64_t samples) {
    samples_ = samples;
    failure_ = nullptr;
    found_.clear();
}

void AttentionWatch::enter(const Instance& instance) noexcept {
    if (instance.node().component->kind == plugin::Kind::kModel) {
        softmax_.emplace();
    }
}

void AttentionWatch::leave(const Instance& instance, const Frame& frame) noexcept {
    if (!softmax_) {
        return;
    }
    try {
        take(instance.node(), frame);
    } catch (...) {  // of memory, most likely
        softmax_.reset();
        failure_ = std::current_exception();
    }
}

void AttentionWatch::take(const pipeline::Node& node, const Frame& frame) {
    std::vector<at::Tensor> all;
    for (const SoftmaxWatch::Applied& one : softmax_->applied()) {
        if (!one.is_log && one.output.defined() && one.output.dim() > 1) {
            all.push_back(one.output.detach().movedim(one.dim, -1));
        }
    }
    softmax_.reset();
    for (std::size_t first = 0, next = 0; first < all.size(); first = next) {
        next = first + 1;
        while (next < all.size() && all[first].dim() == 2 &&
               all[next].sizes() == all[first].sizes()) {
            ++next;
        }
        const bool are_steps = next > first + 1;
        add(node, frame,
            are_steps ? at::stack(at::TensorList(&all[first], next - first), 1).unsqueeze(1)
                      : all[first],
            are_steps);
    }
}

void AttentionWatch::add(const pipeline::Node& node, const Frame& frame, const at::Tensor& weights,
                         bool are_steps) {
    const std::int64_t batch_size = frame.samples().indices.size(0);
    Found found{.node = &node, .weights = by_heads(weights, batch_size)};
    if (!found.weights.defined()) {
        return;
    }
    found.weights = found.weights.narrow(0, 0, std::min(samples_, batch_size));
    const std::int64_t columns = found.weights.size(3);
    const auto with_length = [&](std::int64_t length) {
        std::vector<int> streams;
        for (const int stream : node.read_streams()) {
            if (length_of(frame[stream], batch_size) == length) {
                streams.push_back(stream);
            }
        }
        return streams;
    };
    found.column_streams = with_length(columns);
    for (const int stream : node.read_streams()) {
        if (found.column_streams.empty() && !found.places) {
            found.places = places_of(frame[stream], columns);
        }
    }
    if (columns < 2 || (found.column_streams.empty() && !found.places)) {
        return;
    }
    // [B, X, columns]: X are heads, unless a sequence that is read has as many steps.
    const bool has_one_dim = found.weights.size(1) == 1 && weights.dim() == 3;
    const std::int64_t rows = found.weights.size(2);
    found.is_to_itself =
        rows == columns && rows > 1 && !are_steps && are_one_sequence(found.column_streams);
    if (!found.is_to_itself && !are_steps) {
        found.row_streams = with_length(rows);
    }
    if (has_one_dim && found.row_streams.empty() && !found.is_to_itself) {
        found.weights = found.weights.transpose(1, 2);
    } else {
        found.are_rows_written = found.row_streams.empty() && !found.is_to_itself && rows > 1;
    }
    found.weights = found.weights.to(at::kCPU, at::kFloat).contiguous();
    found.number = 1 + std::ranges::count(found_, &node, &Found::node);
    found_.push_back(std::move(found));
}

// Returns whether all these streams are made of one: another sequence may have the same length.
bool AttentionWatch::are_one_sequence(const std::vector<int>& streams) const {
    std::optional<std::set<int>> common;
    for (const int stream : streams) {
        const std::set<int> sources = pipeline::needed_streams(plan_, std::set<int>{stream});
        if (common) {
            std::erase_if(*common, [&](int source) { return !sources.contains(source); });
        } else {
            common = sources;
        }
    }
    return !common || !common->empty();
}

std::vector<AttentionMap> AttentionWatch::of_sample(const Frame& frame, std::int64_t sample) const {
    if (failure_) {
        std::rethrow_exception(failure_);
    }
    std::vector<AttentionMap> maps;
    for (const Found& found : found_) {
        AttentionMap map{.component = found.node->name,
                         .number = found.number,
                         .weights = found.weights[sample],
                         .places = found.places,
                         .is_to_itself = found.is_to_itself};
        if (!map.places) {
            Words known = words(found.column_streams, frame, sample, map.weights.size(2));
            const std::int64_t columns =
                std::max(attended(map.weights),
                         known.are_tokens ? std::ssize(known.texts) : std::int64_t{0});
            map.weights = map.weights.narrow(2, 0, columns);
            if (map.is_to_itself) {
                map.weights = map.weights.narrow(1, 0, columns);
            }
            map.columns = filled_up(std::move(known.texts), columns);
        }
        const std::int64_t rows = map.weights.size(1);
        if (map.is_to_itself) {
            map.rows = map.columns;
        } else if (found.are_rows_written) {
            map.rows = words_after(*found.node, frame, sample, rows);
            map.weights = map.weights.narrow(1, 0, std::ssize(map.rows));
        } else if (rows > 1) {
            map.rows = filled_up(words(found.row_streams, frame, sample, rows).texts, rows);
        }
        map.weights = map.weights.contiguous();
        maps.push_back(std::move(map));
    }
    return maps;
}

// Returns the global with the words of a stream of numbers; "" if none is declared.
std::string AttentionWatch::vocabulary_of(int stream) const {
    for (const std::vector<pipeline::Node>* nodes : {&plan_.tasks, &plan_.nodes}) {
        for (const pipeline::Node& node : *nodes) {
            const std::string global =
                node.writes(stream) ? node.global_for(plugin::Purpose::kVocabulary) : std::string();
            if (!global.empty()) {
                return global;
            }
        }
    }
    return "";
}

// Returns the words of a sample of this stream, no more than `count`; none if it has no words.
std::vector<std::string> AttentionWatch::tokens_of(int stream, const Frame& frame,
                                                   std::int64_t sample, std::int64_t count) const {
    const Slot& slot = frame[stream];
    std::vector<std::string> found;
    if (slot.element == PTP_TOKENS && slot.text.rows != nullptr) {
        const std::uint64_t* const rows = slot.text.rows + sample;
        for (std::uint64_t i = rows[0]; i < rows[1]; ++i) {
            found.emplace_back(slot.text.string(i));
        }
        return std::ssize(found) <= count ? found : std::vector<std::string>();
    }
    const std::string vocabulary = slot.element == PTP_INTEGER ? vocabulary_of(stream) : "";
    const Value* const table = vocabulary.empty() ? nullptr : globals_.find(vocabulary);
    if (table == nullptr || !table->is_table() || slot.is_dropped || slot.tensor.dim() != 2) {
        return {};
    }
    const at::Tensor indices = slot.tensor[sample].to(at::kCPU, at::kLong);
    std::map<std::int64_t, std::string_view> known;  // the words of these numbers
    const std::int64_t length = std::min(indices.size(0), count);
    for (std::int64_t i = 0; i < length; ++i) {
        known.emplace(indices[i].item<std::int64_t>(), "");
    }
    for (const Member& member : table->members()) {
        const auto word =
            member.value.is_integer() ? known.find(member.value.as_integer()) : known.end();
        if (word != known.end() && word->second.empty()) {
            word->second = member.key;
        }
    }
    for (std::int64_t i = 0; i < length; ++i) {
        const std::string_view word = known.at(indices[i].item<std::int64_t>());
        found.push_back(word.empty() ? std::to_string(i + 1) : std::string(word));
    }
    return found;
}

AttentionWatch::Words AttentionWatch::words(const std::vector<int>& streams, const Frame& frame,
                                            std::int64_t sample, std::int64_t length) const {
    Words found;
    for (const int stream : streams) {
        Words own;
        for (const int source : pipeline::needed_streams(plan_, std::set<int>{stream})) {
            const bool has_tokens = frame[source].element == PTP_TOKENS;
            std::vector<std::string> made = tokens_of(source, frame, sample, length);
            if (!made.empty() && (has_tokens || !own.are_tokens)) {
                own = {.texts = std::move(made), .are_tokens = has_tokens};
            }
        }
        if (!found.texts.empty() && !own.texts.empty() && found.texts != own.texts) {
            return {};  // two sequences of one length: which is meant is not known
        }
        found = own.texts.empty() ? found : std::move(own);
    }
    return found;
}

std::vector<std::string> AttentionWatch::words_after(const pipeline::Node& node, const Frame& frame,
                                                     std::int64_t sample,
                                                     std::int64_t count) const {
    const std::vector<int> written = node.written_streams();
    for (int stream = 0; stream < static_cast<int>(plan_.streams.size()); ++stream) {
        if (plan_.stream(stream).element != plugin::Element::kTokens) {
            continue;
        }
        const std::set<int> sources = pipeline::needed_streams(plan_, std::set<int>{stream});
        const bool is_after =
            std::ranges::any_of(written, [&](int output) { return sources.contains(output); });
        std::vector<std::string> made =
            is_after ? tokens_of(stream, frame, sample, count) : std::vector<std::string>();
        if (!made.empty()) {
            return made;
        }
    }
    return filled_up({}, count);
}

at::Tensor AttentionWatch::image_before(const std::string& component, const Frame& frame,
                                        std::int64_t sample) const {
    const auto node = std::ranges::find(plan_.nodes, component, &pipeline::Node::name);
    std::vector<int> near = node->read_streams();  // the nearest first
    for (std::size_t next = 0; next < near.size(); ++next) {
        const int stream = near[next];
        const Slot& slot = frame[stream];
        const bool is_image = is_tensor(slot.element) && !slot.is_dropped &&
                              slot.tensor.defined() && slot.tensor.is_floating_point() &&
                              slot.tensor.dim() == kPlaceDimensions &&
                              (slot.tensor.size(1) == 1 || slot.tensor.size(1) == 3);
        if (is_image) {
            return slot.tensor[sample].to(at::kCPU);
        }
        for (const pipeline::Node& before : plan_.nodes) {
            for (const int source :
                 before.writes(stream) ? before.read_streams() : std::vector<int>()) {
                if (!contains(near, source)) {
                    near.push_back(source);
                }
            }
        }
    }
    return {};
}

}  // namespace ptp::engine
