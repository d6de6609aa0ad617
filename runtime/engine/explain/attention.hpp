// The attention of models: the weights of their softmaxes over the words or places of what they
// read.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/component/globals.hpp"
#include "engine/component/instance.hpp"
#include "engine/component/observation.hpp"
#include "engine/explain/graph.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// Image places that weights belong to, row by row; the first weight may be that of a class token.
struct AttendedPlaces {
    std::int64_t height = 0;
    std::int64_t width = 0;
    bool has_token = false;
};

// The weights of one softmax for one sample.
struct AttentionMap {
    std::string component;
    std::int64_t number = 0;                    // within its component, from 1
    at::Tensor weights;                         // [heads, rows, columns], float32, on the CPU
    std::optional<AttendedPlaces> places = {};  // what the columns are; nullopt: words
    bool is_to_itself = false;                  // rows and columns are the same
    std::vector<std::string> rows = {};         // their words, or their numbers; empty for one row
    std::vector<std::string> columns = {};      // words, or their numbers; empty for places
};

// Sees the models of a pass, whatever plugin they come from. A softmax counts if it is over as many
// numbers as a stream that its component reads has words (the second dimension) or places (height
// times width, also of patches), with or without a token before them. Softmaxes with a row for each
// sample that follow each other are the steps of one. [step] All parts must outlive it.
class AttentionWatch final : public ForwardObserver {
public:
    AttentionWatch(const pipeline::Plan& plan, const Globals& globals)
        : plan_(plan), globals_(globals.values()) {}

    // Forgets the last batch. Of the next one, the first samples are kept, this many.
    void begin_batch(std::int64_t samples);

    // Returns the weights for one sample of the batch in the frame, which is kept. Throws what
    // their collection threw during the pass, such as c10::Error where memory ended. Words are
    // those of the nearest stream of tokens before what is attended to; of steps that a component
    // writes those after it. Ends that no row attends to are cut off, because they are padding.
    [[nodiscard]] std::vector<AttentionMap> of_sample(const Frame& frame,
                                                      std::int64_t sample) const;

    // Returns the nearest image of a sample before the component, [C, H, W]; undefined if there is
    // none.
    [[nodiscard]] at::Tensor image_before(const std::string& component, const Frame& frame,
                                          std::int64_t sample) const;

    void enter(const Instance& instance) noexcept override;
    void leave(const Instance& instance, const Frame& frame) noexcept override;

private:
    // Weights [B, heads, rows, columns] and the streams whose words rows and columns may be.
    struct Found {
        const pipeline::Node* node = nullptr;
        std::int64_t number = 0;
        at::Tensor weights;
        std::optional<AttendedPlaces> places = {};
        std::vector<int> row_streams = {};
        std::vector<int> column_streams = {};
        bool are_rows_written = false;  // by the component: its words are in later streams
        bool is_to_itself = false;
    };

    void take(const pipeline::Node& node, const Frame& frame);
    [[nodiscard]] bool are_one_sequence(const std::vector<int>& streams) const;
    void add(const pipeline::Node& node, const Frame& frame, const at::Tensor& weights,
             bool are_steps);
    // The words of a sample of a stream: its tokens, or those of numbers, with padding.
    struct Words {
        std::vector<std::string> texts = {};
        bool are_tokens = false;
    };

    [[nodiscard]] Words words(const std::vector<int>& streams, const Frame& frame,
                              std::int64_t sample, std::int64_t length) const;
    [[nodiscard]] std::vector<std::string> words_after(const pipeline::Node& node,
                                                       const Frame& frame, std::int64_t sample,
                                                       std::int64_t count) const;
    [[nodiscard]] std::vector<std::string> tokens_of(int stream, const Frame& frame,
                                                     std::int64_t sample, std::int64_t count) const;
    [[nodiscard]] std::string vocabulary_of(int stream) const;

    const pipeline::Plan& plan_;
    const Value globals_;
    std::optional<SoftmaxWatch> softmax_;
    std::vector<Found> found_;
    std::int64_t samples_ = 0;
    std::exception_ptr failure_;  // (optional) of the batch
};

}  // namespace ptp::engine
