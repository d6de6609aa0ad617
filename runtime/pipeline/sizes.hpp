// The sizes of a finished plan: which are known, those that become known while components are
// created, and whether real tensors agree. Before there is a plan, shapes.hpp finds them.

#pragma once

#include "base/explanation.hpp"
#include "base/value.hpp"
#include "pipeline/plan.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ptp::pipeline {

// The size of a dimension as far as it is known.
std::optional<std::int64_t> size_of(const Plan& plan, const Dimension& dimension);

// "image_height = 28", "image_height" where the size is not known, "28" and "*" without a name.
std::string dimension_text(const std::string& name, std::optional<std::int64_t> size);

// "[B, 1, image_height = 28, *]"; "[...]" where `has_shape` is false.
std::string shape_text(const Plan& plan, const std::vector<Dimension>& shape,
                       bool has_shape = true);

// "model (LeNet5)", "task of [training] (MNIST)": how messages name a component.
std::string node_text(const Node& node);

// Records a size that was found while components were created; `origin` names who found it, as in
// "published by 'encoder' (ConvNetEncoder)". The sentence of the conflict if the symbol has another
// size already, and then nothing is changed.
std::optional<std::string> learn_size(Plan& plan, int symbol, std::int64_t size,
                                      const std::string& origin);

// Compares a tensor with what its port declares, given the number of samples in the batch: a
// sentence naming component, port, stream and both shapes if they differ.
std::optional<std::string> check_shape(const Plan& plan, const Node& node, const Binding& binding,
                                       std::span<const std::int64_t> actual,
                                       std::int64_t batch_size);

// Why the size of this name, which a component asks for while it is created, is not known, and what
// states it.
Explanation unknown_size(const Plan& plan, const Node& node, const std::string& dimension);

// The declarations of a component of a plan about its globals and samples.

struct DeclaredValue {
    std::string text;            // as it is declared: "width / 2"
    std::optional<Value> value;  // with the sizes of the plan; nullopt: not known
};

// Returns the declared value of a global that the node writes; nullopt if none is declared.
std::optional<DeclaredValue> declared_value(const Plan& plan, const Node& node,
                                            const plugin::Global& global);

// Returns the number of samples that a task declares; nullopt if that is not known.
std::optional<std::int64_t> declared_sample_count(const Node& task);

// A layer, and the component or layer whose list it is in.
struct OwnedLayer {
    const Node& owner;
    const Node& layer;
};
// Returns the number of a formula in a setting of a layer; nullopt if it is not known.
std::optional<std::int64_t> number_of_formula(const Plan& plan, const OwnedLayer& of,
                                              const std::string& text);

// Finds the sizes of outputs that follow by a formula from sizes learned since the plan was made:
// of the stream that a ConcatenateTensor writes, once the classes of a OneHot before it are known.
void derive_learnt_sizes(Plan& plan);

// In class_counts.cpp: whether predictions have a score for each class that the targets can be.

// The input of scores of a loss or statistic over class indices, and the dimension with one for
// each class.
struct Scores {
    const Binding* input = nullptr;
    const Dimension* dimension = nullptr;
};

// Returns the scores that a node compares with the classes of a stream; nothing for another node,
// and for one that ignores some samples by a mask or an index.
Scores scores_of(const Node& node, int classes);

struct ClassCountProblem {
    Explanation explanation;
    std::string place = {};  // "e.toml:37:31" of the number of scores; "" if not written
    bool is_fatal = false;   // a training that meets every class ends in an error

    bool operator==(const ClassCountProblem&) const = default;
};

// Returns such problems of a plan, as far as its sizes are known by now; `globals` is a table of
// the globals that have been published. REQUIRES: the plan has a task.
std::vector<ClassCountProblem> class_count_problems(const Plan& plan, const Value& globals);

// In other_scores.cpp: a statistic that gets another number of scores than each loss over the same
// targets, so that what it measures is not what is trained.
struct OtherScores {
    const Node* node = nullptr;
    Explanation explanation;
};
std::vector<OtherScores> other_scores(const Plan& plan);

// Returns how the column of a task's classes is read as numbers, where its many classes all have
// the names of numbers; "" elsewhere.
std::string fix_of_number_classes(const Node& task, const std::vector<std::string>& names);

}  // namespace ptp::pipeline
