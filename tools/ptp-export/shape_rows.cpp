// Views, parts and joints of tensors.

#include "ptp-export/rows.hpp"

#include "base/ranges.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ptp::onnx {

namespace {

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

GraphArgument size_argument(GraphSize size) {
    return {"", std::move(size)};
}

// Writes a reshape. Sizes that the input has at the same place are copied by 0, and another one
// that varies is left to be found, so that readers that need fixed numbers can read it.
std::string reshaped(Translation& t, std::string_view input,
                     const std::vector<GraphArgument>& shape) {
    const GraphTensor& tensor = t.described(input);
    std::vector<GraphArgument> written;
    bool has_free = std::ranges::any_of(shape, [](const GraphArgument& each) {
        const auto* const size = std::get_if<GraphSize>(&each.value);
        return size != nullptr && size->is_constant() && size->constant == -1;
    });
    for (std::size_t i = 0; i < shape.size(); ++i) {
        GraphArgument each = shape[i];
        auto* const size = std::get_if<GraphSize>(&each.value);
        if (size != nullptr && !size->is_constant()) {
            if (i < tensor.sizes.size() && size->is_known && tensor.sizes[i] == *size) {
                each = size_argument({.constant = 0});
            } else if (!has_free) {
                has_free = true;
                each = size_argument({.constant = -1});
            }
        }
        written.push_back(each);
    }
    return t.emit("Reshape", {t.tensor(input), t.sizes(written)});
}

void view(Translation& t) {
    t.give(reshaped(t, "self", t.list(t.has("shape") ? "shape" : "size")));
}

// Returns the size of a dimension before the first one that changes, which 0 copies.
GraphArgument kept_size(const Translation& t, std::int64_t axis) {
    const GraphSize& size = t.described("self").sizes[static_cast<std::size_t>(axis)];
    return size_argument(size.is_known ? size : GraphSize{.constant = 0});
}

void flatten(Translation& t) {
    const std::int64_t rank = t.rank("self");
    const std::int64_t begin = t.axis("start_dim", "self");
    const std::int64_t end = t.axis("end_dim", "self");
    if (begin == 1 && end == rank - 1) {
        t.give(t.emit("Flatten", {t.tensor("self")}, {{"axis", std::int64_t{1}}}));
        return;
    }
    std::vector<GraphArgument> shape;
    for (std::int64_t i = 0; i < rank; ++i) {
        if (i == begin) {
            shape.push_back(size_argument({.constant = -1}));
        } else if (i < begin) {
            shape.push_back(kept_size(t, i));
        } else if (i > end) {
            shape.push_back(size_argument(t.described("self").sizes[static_cast<std::size_t>(i)]));
        }
    }
    t.give(reshaped(t, "self", shape));
}

void unflatten(Translation& t) {
    std::vector<GraphArgument> shape;
    const std::int64_t axis = t.axis("dim", "self");
    for (std::int64_t i = 0; i < t.rank("self"); ++i) {
        if (i == axis) {
            const auto& inner = t.list("sizes");
            shape.insert(shape.end(), inner.begin(), inner.end());
        } else if (i < axis) {
            shape.push_back(kept_size(t, i));
        } else {
            shape.push_back(size_argument(t.described("self").sizes[static_cast<std::size_t>(i)]));
        }
    }
    t.give(reshaped(t, "self", shape));
}

Integers counted(std::int64_t count) {
    Integers places(static_cast<std::size_t>(count));
    std::iota(places.begin(), places.end(), 0);
    return places;
}

void transpose(Translation& t) {
    Integers places = counted(t.rank("self"));
    std::swap(places[static_cast<std::size_t>(t.axis("dim0", "self"))],
              places[static_cast<std::size_t>(t.axis("dim1", "self"))]);
    t.give(t.emit("Transpose", {t.tensor("self")}, {{"perm", places}}));
}

void transpose_matrix(Translation& t) {
    if (t.is_only_read_by("addmm", "mat2")) {
        return;  // which turns it around by an attribute
    }
    Integers places = counted(t.rank("self"));
    std::ranges::reverse(places);
    t.give(t.emit("Transpose", {t.tensor("self")}, {{"perm", places}}));
}

void permute(Translation& t) {
    const std::int64_t rank = t.rank("self");
    t.give(t.emit("Transpose", {t.tensor("self")},
                  {{"perm", transformed(t.integers("dims"), [&](std::int64_t dimension) {
                        return dimension < 0 ? dimension + rank : dimension;
                    })}}));
}

void unsqueeze(Translation& t) {
    const std::int64_t axis = t.integer("dim");
    t.give(t.emit("Unsqueeze", {t.tensor("self"), t.constant(Integers{axis})}));
}

void squeeze(Translation& t) {
    if (!t.has("dim")) {
        t.refuse("without a dimension it depends on which sizes are 1");
    }
    const GraphSize& size =
        t.described("self").sizes[static_cast<std::size_t>(t.axis("dim", "self"))];
    if (!size.is_known) {
        t.refuse("of a dimension whose size is unknown");
    }
    if (!size.is_constant() || size.constant != 1) {
        t.give(t.tensor("self"));  // libtorch keeps a dimension of another size
        return;
    }
    t.give(t.emit("Squeeze", {t.tensor("self"), t.constant(Integers{t.integer("dim")})}));
}

void expand(Translation& t) {
    std::vector<GraphArgument> shape = t.list("size");
    for (GraphArgument& each : shape) {
        auto* const size = std::get_if<GraphSize>(&each.value);
        if (size != nullptr && size->is_constant() && size->constant == -1) {
            size->constant = 1;  // as it is
        }
    }
    t.give(t.emit("Expand", {t.tensor("self"), t.sizes(shape)}));
}

void expand_like(Translation& t) {
    t.give(t.emit("Expand", {t.tensor("self"), t.emit("Shape", {t.tensor("other")})}));
}

void repeat(Translation& t) {
    const auto& repeats = t.list("repeats");
    std::string input = t.tensor("self");
    const auto added = static_cast<std::int64_t>(repeats.size()) - t.rank("self");
    if (added > 0) {
        input = t.emit("Unsqueeze", {input, t.constant(counted(added))});
    }
    t.give(t.emit("Tile", {input, t.sizes(repeats)}));
}

// Values that stay as they are.
void same(Translation& t) {
    t.give(t.tensor(t.has("self") ? "self" : "input"));
}

void dropout(Translation& t) {
    if (t.flag("train") && t.real("p", 0) != 0) {
        t.refuse("it drops values in evaluation too");
    }
    same(t);
}

void cut(Translation& t, const std::vector<GraphArgument>& begin,
         const std::vector<GraphArgument>& end, std::int64_t step) {
    const std::int64_t axis = t.axis("dim", "self");
    t.give(t.emit("Slice", {t.tensor("self"), t.sizes(begin), t.sizes(end),
                            t.constant(Integers{axis}), t.constant(Integers{step})}));
}

void slice(Translation& t) {
    const auto bound = [&](std::string_view argument, std::int64_t usual) {
        return std::vector<GraphArgument>{t.has(argument) ? GraphArgument{"", t.value(argument)}
                                                          : size_argument({.constant = usual})};
    };
    cut(t, bound("start", 0), bound("end", kEnd), t.has("step") ? t.integer("step") : 1);
}

void narrow(Translation& t) {
    const auto* const start = std::get_if<GraphSize>(&t.value("start"));
    const auto* const length = std::get_if<GraphSize>(&t.value("length"));
    if (start == nullptr || length == nullptr || !start->is_constant()) {
        t.refuse("its beginning depends on the inputs");
    }
    GraphSize end = *length;
    end.constant += start->constant;
    if (start->constant < 0) {  // counted from the end, where a slice does not end at 0
        if (!length->is_constant()) {
            t.refuse("a part of varying length that begins at a place counted from the end");
        }
        end.constant = end.constant == 0 ? kEnd : end.constant;
    }
    cut(t, {size_argument(*start)}, {size_argument(end)}, 1);
}

void select(Translation& t) {
    const std::string index = t.tensor_as(t.value("index"), GraphType::kInt64);
    t.give(t.emit("Gather", {t.tensor("self"), index}, {{"axis", t.axis("dim", "self")}}));
}

Names tensors_of(Translation& t, const std::vector<GraphArgument>& list, GraphType type) {
    return transformed(list,
                       [&](const GraphArgument& each) { return t.tensor_as(each.value, type); });
}

void concatenate(Translation& t) {
    const auto rank = static_cast<std::int64_t>(t.result().sizes.size());
    const std::int64_t axis = t.integer("dim");
    t.give(t.emit("Concat", tensors_of(t, t.list("tensors"), t.result().type),
                  {{"axis", axis < 0 ? axis + rank : axis}}));
}

void stack(Translation& t) {
    const auto rank = static_cast<std::int64_t>(t.result().sizes.size());
    const std::int64_t dimension = t.integer("dim");
    const std::int64_t axis = dimension < 0 ? dimension + rank : dimension;
    Names parts;
    for (const std::string& name : tensors_of(t, t.list("tensors"), t.result().type)) {
        parts.push_back(t.emit("Unsqueeze", {name, t.constant(Integers{axis})}));
    }
    t.give(t.emit("Concat", parts, {{"axis", axis}}));
}

// Divides a dimension into the sizes of the results.
void split(Translation& t, std::size_t count) {
    const std::int64_t axis = t.axis("dim", "self");
    std::vector<GraphArgument> sizes;
    for (std::size_t i = 0; i < count; ++i) {
        sizes.push_back(size_argument(t.result(i).sizes[static_cast<std::size_t>(axis)]));
    }
    const Names parts =
        t.emit_several("Split", {t.tensor("self"), t.sizes(sizes)}, {{"axis", axis}}, count);
    for (std::size_t i = 0; i < count; ++i) {
        t.give(parts[i], i);
    }
}

void split_all(Translation& t) {
    split(t, t.result_count());
}

void unbind(Translation& t) {
    const std::int64_t axis = t.axis("dim", "self");
    for (std::size_t i = 0; i < t.result_count(); ++i) {
        const std::string index = t.scalar(static_cast<double>(i), GraphType::kInt64);
        t.give(t.emit("Gather", {t.tensor("self"), index}, {{"axis", axis}}), i);
    }
}

void pad(Translation& t) {
    const Integers padding = t.integers("pad");
    const auto rank = static_cast<std::size_t>(t.rank("self"));
    Integers written(2 * rank);  // libtorch's are of the last dimension first, in pairs
    for (std::size_t i = 0; i < padding.size() / 2; ++i) {
        written[rank - 1 - i] = padding[2 * i];
        written[2 * rank - 1 - i] = padding[2 * i + 1];
    }
    if (!t.text("mode").empty() && t.text("mode") != "constant") {
        t.refuse("only padding with one number is written");
    }
    t.give(t.emit("Pad", {t.tensor("self"), t.constant(written),
                          t.scalar(t.real("value", 0), t.described("self").type)}));
}

constexpr Row kShapeRows[] = {{"view", view},
                              {"reshape", view},
                              {"flatten", flatten},
                              {"unflatten", unflatten},
                              {"transpose", transpose},
                              {"t", transpose_matrix},
                              {"permute", permute},
                              {"unsqueeze", unsqueeze},
                              {"squeeze", squeeze},
                              {"expand", expand},
                              {"expand_as", expand_like},
                              {"repeat", repeat},
                              {"contiguous", same},
                              {"clone", same},
                              {"detach", same},
                              {"alias", same},
                              {"dropout", dropout},
                              {"feature_dropout", dropout},
                              {"slice", slice},
                              {"narrow", narrow},
                              {"select", select},
                              {"cat", concatenate},
                              {"concat", concatenate},
                              {"stack", stack},
                              {"chunk", split_all},
                              {"split", split_all},
                              {"split_with_sizes", split_all},
                              {"unbind", unbind},
                              {"constant_pad_nd", pad},
                              {"pad", pad}};

}  // namespace

std::span<const Row> shape_rows() {
    return kShapeRows;
}

}  // namespace ptp::onnx
