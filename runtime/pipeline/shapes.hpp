// Solves the shapes of a pipeline: equal names are equal sizes, and both ends of a stream agree.
// The shapes are those of the assembly's bindings and streams; the sizes in them are symbols of one
// table.

#pragma once

#include "base/diagnostics.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/wiring.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

// In size_table.cpp: the sizes, and where each known number was declared.

// The origin of a number.
struct SizeSource {
    std::string text = {};                  // "published by task of [training] (MNIST)"
    const Draft* draft = nullptr;           // the component whose `setting` decides the number
    std::string setting = {};               // empty: none does
    std::optional<std::size_t> index = {};  // the element, if the setting is a list
    bool is_setting = false;                // the number is what the setting has; there is no text

    // False for a fixed number.
    [[nodiscard]] bool is_known() const { return is_setting || !text.empty(); }
    // The text, or "pipeline.net.sizes[1]"; "" for a fixed number.
    [[nodiscard]] std::string origin() const;
};

struct Size {
    std::int64_t number = 0;
    SizeSource source;
};

// Returns the dimension of a symbol, whose size may become known later.
inline Dimension symbol_dimension(int symbol, std::string name = "") {
    return {.symbol = symbol, .name = std::move(name)};
}

// Sets of equal sizes (union-find).
class SizeTable {
public:
    // Has the symbol of "B" only.
    SizeTable();

    int add(std::string name);

    // Returns a dimension that is a number with a source.
    Dimension number(std::int64_t number, SizeSource source);

    // Returns the size of a dimension as far as it is known; nullopt for "*" and "B".
    [[nodiscard]] std::optional<Size> size_of(const Dimension& dimension) const;
    [[nodiscard]] std::optional<std::int64_t> number_of(const Dimension& dimension) const;

    // Returns whether it is the number of samples in a batch.
    [[nodiscard]] bool is_batch(const Dimension& dimension) const;

    // Returns whether they are known to be one size, whichever that is.
    [[nodiscard]] bool are_one(int left, int right) const { return root(left) == root(right); }

    // Makes the two one size; false if they are different numbers, and then nothing is changed.
    bool unify(const Dimension& left, const Dimension& right);

    // The symbols that are left when equal ones are one, and for each symbol added its position
    // there.
    [[nodiscard]] std::vector<Symbol> symbols(std::vector<int>& positions) const;

private:
    struct Entry {
        int parent = -1;  // -1: is its own root
        std::string name;
        std::optional<Size> size = {};
    };

    [[nodiscard]] int root(int symbol) const;

    std::vector<Entry> entries_;
    std::vector<SizeSource> sources_;  // of numbers, by Dimension::source
};

// "[B, 1, image_height = 28, *]".
std::string shape_text(const SizeTable& sizes, const std::vector<Dimension>& shape);

struct Sizes {
    SizeTable table;
    std::map<std::string, int> globals;  // those that are sizes of some port
};

// In shapes.cpp.

// Reports all disagreements at once: sections about a global, sections about a stream, a writer and
// a reader about a stream. `order` is the order of execution, so that sizes become known in the
// order in which a person thinks of them. Components that are not sound take no part.
Sizes solve_shapes(Assembly& assembly, const std::vector<int>& order, Diagnostics& problems);

// One component, for solve_shapes().
struct Solving {
    Assembly& assembly;
    Sizes& sizes;
    Draft& draft;
};

// The values of the names in the formulas of a component, while the shapes are solved.
class SolvingScope : public NodeScope {
public:
    explicit SolvingScope(const Solving& of)
        : NodeScope(of.draft.node, of.sizes.globals), of_(of) {}

private:
    [[nodiscard]] Number number_of(const Dimension& dimension) const override {
        return of_.sizes.table.number_of(dimension);
    }
    [[nodiscard]] const std::vector<Dimension>* shape_of(int stream) const override {
        const WiredStream& wired = of_.assembly.stream(stream);
        return wired.has_shape ? &wired.shape : nullptr;
    }
    [[nodiscard]] const std::vector<Dimension>* inner_shape_of(int stream) const override {
        const WiredStream& wired = of_.draft.inner->stream(stream);
        return wired.has_shape ? &wired.shape : nullptr;
    }

    const Solving& of_;
};

// In scope.cpp: the meaning of the names in a component's shapes.

// Sets the shapes of all existing ports that are not known yet; one with dimensions of an input is
// known once those are. "B" is one size everywhere; a name that the component uses as a global is
// that global; any other name is the component's own. Adds symbols as needed. Throws
// ComputationError.
void name_shapes(const Solving& of);

struct PublishedSize {
    std::string global;  // the pipeline's name; it has a symbol
    Dimension dimension;
};

// The sizes that a component will publish, as far as they follow from its declaration. Sizes with a
// formula become derived sizes of the node.
std::vector<PublishedSize> published_sizes(const Solving& of);

// In derive.cpp: sizes that follow from others.

// Computes the sizes whose inputs are known by now, and returns whether there was one. Reports
// formulas that cannot be computed, and numbers that contradict a size that is known already.
bool derive_sizes(const Solving& of, Diagnostics& problems);

// The dimensions of an input, or of what flows out of layers, that a slice names for an output;
// nullopt if they are not known. Of several streams those that all have: each is one size. Throws
// ComputationError.
std::optional<std::vector<Dimension>> sliced_dimensions(const Solving& of, const Formula& slice,
                                                        const Binding& output);

// The number of a formula in a setting of a layer; nullopt if it is not known. Throws
// ComputationError.
Number number_of_formula(const Solving& of, const std::string& text);

// In requirements.cpp: relations between settings and sizes, and the words for what is in them.

// Returns a sentence about a derived size, with what it follows from: "map_height is 0 (in_height
// is 32, kernel = 32)". `what` is "is 0". Settings count only as far as the experiment sets them.
std::string derived_text(const Solving& of, const DerivedSize& size, const std::string& what);

// Reports relations of the declaration that do not hold, at the setting that they are about, and if
// all hold, as far as that is known, numbers found that are not sizes.
void check_requirements(const Solving& of, Diagnostics& problems);

// In other_ranks.cpp: inputs for several streams, whose numbers of dimensions must be the same.

// Returns whether such a requirement is broken, which is reported.
bool has_other_ranks(const Solving& of);
// Returns how these streams get as many dimensions as the one with the least; "" for another
// requirement.
std::string fix_of_ranks(const Solving& of, const plugin::Requirement& requirement);

// In reshape.cpp: outputs that hold the values of an input in another shape.

// If exactly two dimensions of a reshaped output are unknown and one of them is the first, sets the
// first to the batch size and the other to the number of values of a sample of the first input,
// divided by the known dimensions: [*, *] of [B, 16, 7, 7] becomes [B, 784].
void complete_reshaped(const Solving& of);

// Reports outputs declared as reshaped that cannot have as many values as the first input, whatever
// the still unknown sizes are.
void check_reshaped(const Solving& of, Diagnostics& problems);

// Reports outputs declared as reshaped that a reader takes as batches, although a batch of the
// input would become one of more or fewer samples. To be asked once all shapes are solved.
void check_samples_stay_whole(const Solving& of, Diagnostics& problems);

// In mismatch.cpp: the messages for sizes that disagree, and how to fix them.

// A port that writes or reads a stream.
struct StreamEnd {
    const Draft* draft = nullptr;
    const Binding* binding = nullptr;
    bool is_reader = false;

    [[nodiscard]] const std::vector<Dimension>& shape() const { return binding->shape; }
};

struct Mismatch {
    const Assembly& assembly;
    const Sizes& sizes;
    int stream = -1;
    StreamEnd first;
    StreamEnd second;
    std::vector<std::size_t> differing;  // dimensions; empty: not even their number is the same
};

inline const WiredStream& stream_of(const Mismatch& of) {
    return of.assembly.stream(of.stream);
}
inline std::size_t rank_of(const StreamEnd& end) {
    return end.shape().size();
}

// In output_before.cpp: sequences, or pictures, where vectors are read.

// Returns whether the samples' other dimensions can be made one.
inline bool can_flatten(const Mismatch& of) {
    return rank_of(of.second) == 2 && rank_of(of.first) > 2;
}
// Returns whether the number of values of a sample is known: sequences of any length have none.
bool has_known_sizes(const Mismatch& of);
// Returns how a reader takes another output of what makes the stream, which has as many dimensions
// as are read, such as the last state of a recurrent layer; "" if there is none.
std::string fix_by_output_before(const Mismatch& of);
// Returns how a reader of vectors gets one of each sequence, whose steps it reads; "" for others.
std::string fix_by_sum_of_steps(const Mismatch& of);
// Refuses to make the dimensions of sequences one for a model, if these differ from batch to batch.
void check_joined_steps(const Solving& of, Diagnostics& problems);
// Returns the layer that makes the samples' other dimensions one, and its place in the list that
// writes the stream; "" if there is none.
std::string fix_by_layer(const Mismatch& of);

// Returns how the first end, or what is read in its place, gets as many dimensions as the second,
// one of several inputs; "" if no single change is known.
std::string rank_fix(const Mismatch& mismatch);

// Returns the reported fix, or "".
std::string report_mismatch(const Mismatch& mismatch, Diagnostics& problems);

// Two sections that publish different sizes.
struct GlobalConflict {
    std::string global;
    Size first;
    Size second;
};

// `fixes`: those of the mismatches.
void report_globals(const Draft& draft, const std::vector<GlobalConflict>& conflicts,
                    const std::vector<std::string>& fixes, Diagnostics& problems);

// In size_fix.cpp: the change of a setting that makes sizes agree.

// A size that should be another one.
struct WantedSize {
    SizeSource source;
    std::int64_t wanted = 0;
};

// Separates the setting of a task in a fix from the other sections that need the same.
inline constexpr const char* kSameIn = ", and the same in ";

// "set training.task.resize_image = [32, 32]"; "" if no single setting decides all these sizes.
std::string setting_fix(const Assembly& assembly, const std::vector<WantedSize>& sizes);

// The setting that states how many dimensions the input has, such as `num_targets_dims`, where the
// input has `count` with another number, and all that depend on it then fit their streams: "set
// pipeline.loss.num_targets_dims = 2"; else "".
std::string count_fix(const Assembly& assembly, const Draft& draft, const Binding& input,
                      std::size_t count);

// In class_counts.cpp.

// Warns of losses over class indices that a task writes, where the task publishes more or fewer
// classes than the predictions have scores; fewer only where the scores are a constant of the
// experiment. It is a warning, because a sampler may leave classes out, and weights trained on more
// classes may be used. To be asked once all shapes are solved.
void warn_of_class_counts(const Assembly& assembly, const Sizes& sizes, Diagnostics& problems);

}  // namespace ptp::pipeline
