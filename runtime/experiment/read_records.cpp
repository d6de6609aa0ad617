#include "experiment/read_records.hpp"

#include <algorithm>

namespace ptp::experiment {

namespace {

std::vector<Field> fields_of(JsonLines& lines) {
    return {{.name = "every_episodes", .into = &lines.every_episodes, .range = "[1, inf)"}};
}

std::vector<Field> fields_of(TensorBoard& board) {
    return {{.name = "every_episodes", .into = &board.every_episodes, .range = "[1, inf)"},
            {.name = "histograms_every_episodes",
             .into = &board.histograms_every_episodes,
             .range = "[0, inf)"},
            {.name = "image_count", .into = &board.image_count, .range = "[1, 64]"}};
}

void read_tensorboard(const Scope& scope, TensorBoard& board) {
    Raw images = nullptr;
    std::vector<Field> fields = fields_of(board);
    fields.push_back({.name = "images", .into = &images});
    read_all_fields(scope, fields);
    if (images == nullptr) {
        return;
    }
    if (!images->is_list() || !std::ranges::all_of(images->items(), &Value::is_string)) {
        scope.problems.error(*images, scope.key("images"), "must be a list of strings");
        return;
    }
    for (const Value& stream : images->items()) {
        board.images.push_back({stream.as_string(), stream.place()});
    }
}

}  // namespace

void read_records(const Scope& scope, Records& records) {
    RawTable json_lines;
    RawTable tensorboard;
    read_all_fields(scope, {{.name = "json_lines", .into = &json_lines},
                            {.name = "tensorboard", .into = &tensorboard}});
    if (json_lines.table != nullptr) {
        read_all_fields(scope.at(*json_lines.table, "json_lines"),
                        fields_of(records.json_lines.emplace()));
    }
    if (tensorboard.table != nullptr) {
        read_tensorboard(scope.at(*tensorboard.table, "tensorboard"),
                         records.tensorboard.emplace());
    }
}

Value tree_of(const Records& records) {
    Value table;
    if (records.json_lines) {
        JsonLines lines = *records.json_lines;
        table.set("json_lines", write_fields(fields_of(lines)));
    }
    if (records.tensorboard) {
        TensorBoard board = *records.tensorboard;
        std::vector<Value> images;
        for (const ImageStream& stream : board.images) {
            images.emplace_back(stream.name);
        }
        table.set("tensorboard", write_fields(fields_of(board)))
            .set("images", Value::list(std::move(images)));
    }
    return table;
}

}  // namespace ptp::experiment
