// Sums over dimensions, new tensors, and choices by index or mask.

#include "ptp-export/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace ptp::onnx {

namespace {

// The dimensions of a reduction; all of them where it names none.
Integers reduced(const Translation& t) {
    Integers axes;
    if (t.has("dim")) {
        axes = t.integers("dim");
    }
    const std::int64_t rank = t.rank("self");
    if (axes.empty()) {
        for (std::int64_t i = 0; i < rank; ++i) {
            axes.push_back(i);
        }
    }
    for (std::int64_t& axis : axes) {
        axis = axis < 0 ? axis + rank : axis;
    }
    return axes;
}

void reduce_sum(Translation& t) {
    const GraphType type = t.result().type;
    t.give(t.emit("ReduceSum", {t.tensor_as(t.value("self"), type), t.constant(reduced(t))},
                  {{"keepdims", std::int64_t{t.flag("keepdim")}}}));
}

void reduce(Translation& t, const char* type, std::size_t output = 0) {
    t.give(t.emit(type, {t.tensor_as(t.value("self"), t.result().type)},
                  {{"axes", reduced(t)}, {"keepdims", std::int64_t{t.flag("keepdim")}}}),
           output);
}

void reduce_mean(Translation& t) {
    reduce(t, "ReduceMean");
}

void index_of_extreme(Translation& t, const char* type, std::size_t output) {
    if (!t.has("dim")) {
        t.refuse("without a dimension");
    }
    t.give(t.emit(type, {t.tensor("self")},
                  {{"axis", t.axis("dim", "self")},
                   {"keepdims", std::int64_t{t.flag("keepdim")}},
                   {"select_last_index", std::int64_t{0}}}),
           output);
}

void argmax(Translation& t) {
    index_of_extreme(t, "ArgMax", 0);
}

void argmin(Translation& t) {
    index_of_extreme(t, "ArgMin", 0);
}

// The values of an extreme, and their indices where there are any.
void extreme(Translation& t, const char* values, const char* indices) {
    if (t.has("other")) {
        const GraphType type = t.result().type;
        t.give(t.emit(std::string(values) == "ReduceMax" ? "Max" : "Min",
                      {t.tensor_as(t.value("self"), type), t.tensor_as(t.value("other"), type)}));
        return;
    }
    reduce(t, values);
    if (t.result_count() > 1) {
        index_of_extreme(t, indices, 1);
    }
}

void greatest(Translation& t) {
    extreme(t, "ReduceMax", "ArgMax");
}

void least(Translation& t) {
    extreme(t, "ReduceMin", "ArgMin");
}

// The length of vectors: the square root of the sum of squares.
void norm(Translation& t) {
    const std::string_view order = t.has("ord") ? "ord" : "p";
    if (const double p = t.real(order, 2); p != 2 && p != 1) {
        t.refuse("norms other than 1 and 2");
    }
    reduce(t, t.real(order, 2) == 2 ? "ReduceL2" : "ReduceL1");
}

void cumulative_sum(Translation& t) {
    const GraphType type = t.result().type;
    t.give(t.emit("CumSum",
                  {t.tensor_as(t.value("self"), type),
                   t.scalar(static_cast<double>(t.axis("dim", "self")), GraphType::kInt64)}));
}

// The mean of squared distances.
void variance(Translation& t, bool is_root) {
    const Integers axes = reduced(t);
    const std::string self = t.tensor("self");
    const std::string mean =
        t.emit("ReduceMean", {self}, {{"axes", axes}, {"keepdims", std::int64_t{1}}});
    const std::string distance = t.emit("Sub", {self, mean});
    const std::int64_t correction =
        t.has("correction") ? t.integer("correction") : std::int64_t{t.flag("unbiased", true)};
    std::string result = t.emit("ReduceMean", {t.emit("Mul", {distance, distance})},
                                {{"axes", axes}, {"keepdims", std::int64_t{t.flag("keepdim")}}});
    if (correction != 0) {
        double count = 1;
        for (const std::int64_t axis : axes) {
            const GraphSize& size = t.described("self").sizes[static_cast<std::size_t>(axis)];
            if (!size.is_constant()) {
                t.refuse("of a number of values that varies");
            }
            count *= static_cast<double>(size.constant);
        }
        const double divisor = std::max(0.0, count - static_cast<double>(correction));
        result = t.emit("Mul", {result, t.scalar(count / divisor, t.result().type)});
    }
    t.give(is_root ? t.emit("Sqrt", {result}) : result);
}

void var(Translation& t) {
    variance(t, false);
}

void std_deviation(Translation& t) {
    variance(t, true);
}

// A tensor of one value, with the sizes of the result.
void filled_with(Translation& t, const std::string& value) {
    std::vector<GraphArgument> shape;
    for (const GraphSize& size : t.result().sizes) {
        shape.push_back({"", size});
    }
    t.give(shape.empty() ? value : t.emit("Expand", {value, t.sizes(shape)}));
}

void zeros(Translation& t) {
    filled_with(t, t.scalar(0, t.result().type));
}

void ones(Translation& t) {
    filled_with(t, t.scalar(1, t.result().type));
}

void full(Translation& t) {
    filled_with(t, t.tensor_as(t.value("fill_value"), t.result().type));
}

void fill(Translation& t) {
    filled_with(t, t.tensor_as(t.value("value"), t.result().type));
}

void range(Translation& t) {
    const GraphType type = t.result().type;
    const auto bound = [&](std::string_view argument, double usual) {
        return t.has(argument) ? t.tensor_as(t.value(argument), type) : t.scalar(usual, type);
    };
    t.give(t.emit("Range", {bound("start", 0), bound("end", 0), bound("step", 1)}));
}

void triangle(Translation& t, bool is_upper) {
    const GraphType type = t.result().type;
    const GraphType computed = type == GraphType::kBool ? GraphType::kInt64 : type;
    const std::string diagonal = t.scalar(
        static_cast<double>(t.has("diagonal") ? t.integer("diagonal") : 0), GraphType::kInt64);
    const std::string made = t.emit("Trilu", {t.tensor_as(t.value("self"), computed), diagonal},
                                    {{"upper", std::int64_t{is_upper}}});
    t.give(computed == type ? made : t.cast(made, type));
}

void upper_triangle(Translation& t) {
    triangle(t, true);
}

void lower_triangle(Translation& t) {
    triangle(t, false);
}

void masked_fill(Translation& t) {
    const GraphType type = t.result().type;
    t.give(
        t.emit("Where", {t.tensor_as(t.value("mask"), GraphType::kBool),
                         t.tensor_as(t.value("value"), type), t.tensor_as(t.value("self"), type)}));
}

void where(Translation& t) {
    const GraphType type = t.result().type;
    t.give(
        t.emit("Where", {t.tensor_as(t.value("condition"), GraphType::kBool),
                         t.tensor_as(t.value("self"), type), t.tensor_as(t.value("other"), type)}));
}

void gather(Translation& t) {
    t.give(t.emit("GatherElements", {t.tensor("self"), t.tensor("index")},
                  {{"axis", t.axis("dim", "self")}}));
}

void index_select(Translation& t) {
    t.give(
        t.emit("Gather", {t.tensor("self"), t.tensor("index")}, {{"axis", t.axis("dim", "self")}}));
}

// Values in order, and the places where they were.
Names in_order(Translation& t) {
    const std::int64_t axis = t.has("dim") ? t.axis("dim", "self") : t.rank("self") - 1;
    const GraphSize& size = t.described("self").sizes[static_cast<std::size_t>(axis)];
    return t.emit_several("TopK", {t.tensor("self"), t.size(size)},
                          {{"axis", axis}, {"largest", std::int64_t{t.flag("descending")}}}, 2);
}

void sort(Translation& t) {
    const Names made = in_order(t);
    t.give(made[0], 0);
    t.give(made[1], 1);
}

void argsort(Translation& t) {
    t.give(in_order(t)[1]);
}

// x[..., indices, ...] with one tensor of whole numbers.
void index(Translation& t) {
    const auto& indices = t.list("indices");
    const auto is_given = [](const GraphArgument& each) {
        return !std::holds_alternative<std::monostate>(each.value);
    };
    const auto found = std::ranges::find_if(indices, is_given);
    if (std::ranges::count_if(indices, is_given) != 1) {
        t.refuse("with several tensors");
    }
    const auto& tensor = t.graph().tensors[std::get<engine::TensorIndex>(found->value).index];
    if (tensor.type == GraphType::kBool || tensor.type == GraphType::kByte) {
        t.refuse("by a mask: the size of the result depends on the values");
    }
    t.give(t.emit("Gather", {t.tensor("self"), t.name_of(found->value)},
                  {{"axis", static_cast<std::int64_t>(found - indices.begin())}}));
}

void one_hot(Translation& t) {
    const std::string depth =
        t.scalar(static_cast<double>(t.integer("num_classes")), GraphType::kInt64);
    t.give(t.emit("OneHot", {t.tensor("self"), depth, t.constant(Integers{0, 1})},
                  {{"axis", std::int64_t{-1}}}));
}

void einsum(Translation& t) {
    std::string equation = t.text("equation");
    std::erase(equation, ' ');
    Names inputs;
    for (const GraphArgument& each : t.list("tensors")) {
        inputs.push_back(t.name_of(each.value));
    }
    t.give(t.emit("Einsum", inputs, {{"equation", equation}}));
}

// softmax(Q K^T / sqrt(width) + mask) V
void attention(Translation& t) {
    const GraphType type = t.result().type;
    const GraphSize& width = t.described("query").sizes.back();
    if (!width.is_constant() || t.real("dropout_p", 0) != 0) {
        t.refuse("queries of unknown width, or dropout");
    }
    const double scale = t.real("scale", 1 / std::sqrt(static_cast<double>(width.constant)));
    const auto rank = static_cast<std::size_t>(t.rank("key"));
    Integers places(rank);
    for (std::size_t i = 0; i < rank; ++i) {
        places[i] = static_cast<std::int64_t>(i);
    }
    std::swap(places[rank - 1], places[rank - 2]);
    const std::string keys = t.emit("Transpose", {t.tensor("key")}, {{"perm", places}});
    const std::string query = t.emit("Mul", {t.tensor("query"), t.scalar(scale, type)});
    std::string scores = t.emit("MatMul", {query, keys});
    if (t.flag("is_causal")) {
        t.refuse("is_causal: give a mask");
    }
    if (t.has("attn_mask")) {
        const std::string mask = t.tensor("attn_mask");
        scores = t.described("attn_mask").type == GraphType::kBool
                     ? t.emit("Where", {mask, scores,
                                        t.scalar(-std::numeric_limits<double>::infinity(), type)})
                     : t.emit("Add", {scores, mask});
    }
    const std::string weights = t.emit("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
    t.give(t.emit("MatMul", {weights, t.tensor("value")}));
}

constexpr Row kArrayRows[] = {{"sum", reduce_sum},
                              {"mean", reduce_mean},
                              {"max", greatest},
                              {"min", least},
                              {"amax", greatest},
                              {"amin", least},
                              {"argmax", argmax},
                              {"argmin", argmin},
                              {"norm", norm},
                              {"linalg_vector_norm", norm},
                              {"cumsum", cumulative_sum},
                              {"var", var},
                              {"std", std_deviation},
                              {"zeros", zeros},
                              {"zeros_like", zeros},
                              {"new_zeros", zeros},
                              {"ones", ones},
                              {"ones_like", ones},
                              {"new_ones", ones},
                              {"full", full},
                              {"full_like", full},
                              {"new_full", full},
                              {"fill", fill},
                              {"zero", zeros},
                              {"arange", range},
                              {"triu", upper_triangle},
                              {"tril", lower_triangle},
                              {"masked_fill", masked_fill},
                              {"where", where},
                              {"gather", gather},
                              {"index_select", index_select},
                              {"index", index},
                              {"sort", sort},
                              {"argsort", argsort},
                              {"one_hot", one_hot},
                              {"einsum", einsum},
                              {"scaled_dot_product_attention", attention}};

}  // namespace

std::span<const Row> array_rows() {
    return kArrayRows;
}

}  // namespace ptp::onnx
