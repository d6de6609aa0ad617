// The columns of a table of predictions: their names and their values for a batch.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/component/globals.hpp"
#include "engine/predict/prediction_file.hpp"
#include "pipeline/prediction.hpp"

#include <ATen/core/Tensor.h>
#include <spdlog/logger.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// The choice of the values of a stream that are shown, and their form.
struct ColumnOptions {
    std::int64_t top_k = 1;              // classes and scores
    std::optional<std::string> classes;  // the global with the classes' names
};

// Returns the names of N classes, by number: from a global that is a table from N names to the
// numbers from 0 on. It is the requested one, the only one that the stream or its targets pass
// through, or the only one at all; of several, label_word_mappings. Returns nullopt if there is
// none, or several others. Throws RunError for a requested global that is not such a table.
std::optional<std::vector<std::string>> class_names(const Value& globals,
                                                    const pipeline::PredictedStream& predicted,
                                                    std::int64_t count,
                                                    const std::optional<std::string>& global);

// One predicted stream. [step] Its parts must outlive it.
class StreamColumns {
public:
    // Examines the first batch, which is in the frame. `prefix` is put before the names of the
    // shown values. Throws RunError.
    StreamColumns(const pipeline::Plan& plan, const Frame& frame, const Globals& globals,
                  const pipeline::PredictedStream& predicted, const ColumnOptions& options,
                  const std::string& prefix);

    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

    // Returns whether classes have numbers as their only names.
    [[nodiscard]] bool has_numbers_for_names() const { return is_classes_ && !classes_; }

    // Returns the cells of the batch in the frame: for each sample a list in the order of the
    // names.
    [[nodiscard]] std::vector<std::vector<Cell>> rows(const Frame& frame, std::uint64_t samples);

    // Return how many of the samples so far had a class as target, and how many of these are right.
    [[nodiscard]] std::uint64_t judged() const { return judged_; }
    [[nodiscard]] std::uint64_t right() const { return right_; }
    [[nodiscard]] bool is_judged() const {
        return (is_classes_ || has_several_classes_) && predicted_.targets >= 0;
    }

private:
    void name_class_lists(const std::string& prefix);
    void name_values(const Slot& slot, const std::string& name);
    void add_classes(const Frame& frame, std::vector<std::vector<Cell>>& rows);
    void add_class_lists(const Frame& frame, std::vector<std::vector<Cell>>& rows);
    [[nodiscard]] Cell class_list(const at::Tensor& has_class) const;
    void add_words(const at::Tensor& scores, std::vector<std::vector<Cell>>& rows) const;
    void read_scales(const Value* scales);
    [[nodiscard]] at::Tensor in_its_unit(const at::Tensor& numbers) const;
    void add_values(const Slot& slot, std::vector<std::vector<Cell>>& rows) const;
    [[nodiscard]] Cell class_cell(std::int64_t number) const;

    pipeline::PredictedStream predicted_;
    ColumnOptions options_;
    std::vector<std::string> names_;
    bool is_classes_ = false;
    bool is_yes_or_no_ = false;  // the classes are two with one score
    bool is_words_ = false;      // a class for each step
    bool has_several_classes_ = false;
    std::optional<std::vector<std::string>> classes_;
    at::Tensor means_;  // [n], of standardized values; undefined: they have their unit
    at::Tensor deviations_;
    std::uint64_t judged_ = 0;
    std::uint64_t right_ = 0;
};

// Returns the number, or the texts "nan", "inf" and "-inf", which JSON does not have as numbers.
Cell real_cell(double value);

// Converts a tensor with one value. A float32 has no more digits than needed to restore its bits.
Cell number_cell(const at::Tensor& tensor);

// Returns a number, a list of numbers, or lists of these.
Cell tensor_cell(const at::Tensor& tensor);

}  // namespace ptp::engine
