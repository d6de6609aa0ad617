// The samples of a pass that are kept with what components read of them: those with the highest and
// the lowest loss, some of each confusion of two classes, and some drawn ones.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/component/saved_state.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

// The largest width and height of a kept image; larger ones are averaged down to it.
inline constexpr std::int64_t kExamplePixels = 64;

// The facts that decide whether a sample is kept.
struct ExampleFacts {
    std::int64_t index = 0;       // of the sample in its task
    double loss = 0;              // nan: unknown
    std::int64_t target = -1;     // -1: no class
    std::int64_t predicted = -1;  // -1: no class
};

// Keeps up to `limit` samples: half by the highest loss, an eighth by the lowest, an eighth drawn
// by a hash of their numbers, which draws the same ones in each epoch, and the rest of confusions.
class Examples {
public:
    // REQUIRES: the task's streams are among the plan's
    Examples(std::size_t limit, const pipeline::Plan& plan, const pipeline::Node& task);

    // Returns the streams of the frame that are kept of a sample.
    [[nodiscard]] std::set<int> streams(const Frame& frame) const;

    // Considers the samples of the batch in the frame, in its order.
    void add(const Frame& frame, const std::vector<ExampleFacts>& batch);

    // Adds "example/index" [K] and "example/STREAM" [K, ...], with the samples sorted by number:
    // the streams of the task, texts that components write, and what a segmentation predicts.
    // Returns the streams' forms: "image" [K, H, W, 1 or 3] of U8, "classes" [K, H, W] of U8, 255
    // for none, "text" [K, bytes] of U8, filled up with zeros, or "values" [K, N] of F32.
    [[nodiscard]] std::map<std::string, std::string> write(TensorsByName& tensors) const;

private:
    using Place = std::pair<double, std::int64_t>;  // a rank, the smaller the better; the number

    struct Choice {
        std::size_t limit = 0;
        std::set<Place> kept = {};
    };

    // The numbers of a stream of one sample, without a tensor of its own: most of the samples that
    // are copied do not stay.
    struct Row {
        std::vector<std::int64_t> sizes = {};  // of images [C, H, W]
        at::ScalarType type = at::kFloat;
        std::string bytes = {};
    };

    struct Kept {
        int uses = 0;  // choices that have it
        bool is_copied = false;
        std::map<std::string, Row> streams = {};  // images as they are
    };

    // Lets the choice take the sample, in place of the last one that it has.
    void offer(Choice& choice, Place place);
    // Copies these rows of the batch to the samples.
    void copy(const Frame& frame, const std::vector<std::int64_t>& places,
              const std::vector<Kept*>& samples);
    void copy_texts(int stream, const TextBuffer& text, const std::vector<std::int64_t>& places,
                    const std::vector<Kept*>& samples);
    void copy_rows(int stream, const at::Tensor& rows, const std::vector<Kept*>& samples);
    void find_results(const pipeline::Node& node);
    // Returns the rows [N, ...] of a stream as they are kept, and notes their form.
    [[nodiscard]] at::Tensor kept_form(int stream, const at::Tensor& rows);
    // Returns the tensor [N, ...] of rows of one size and type.
    [[nodiscard]] static at::Tensor stacked(const std::vector<const Row*>& rows);

    const pipeline::Plan& plan_;
    const pipeline::Node& task_;
    Choice worst_;
    Choice best_;
    Choice drawn_;
    std::map<std::pair<std::int64_t, std::int64_t>, Choice> confusions_;  // target and predicted
    std::size_t confusions_left_;
    std::map<std::int64_t, Kept> kept_;  // by number
    std::map<std::string, std::string> forms_;
    std::set<int> texts_;       // streams that components write
    std::set<int> class_maps_;  // streams that a loss compares, perhaps place by place
};

}  // namespace ptp::engine
