// Converts tables of components and tasks: renames PyTorchPipe's keys by renames.hpp.

#include "conversions.hpp"

#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "renames.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::importer {

namespace {

// The table of a component that is being converted.
struct Subject {
    Value& table;
    const std::string& path;
    std::string type;                   // ptp's name
    const plugin::Component* declared;  // (optional)
    Report& report;
};

// Converts "ptp.components.models.LeNet5" to LeNet5.
void import_type(Value& table, const std::string& path, Report& report) {
    const Value* const type = table.find("type");
    if (type == nullptr || !type->is_string()) {
        return;
    }
    const std::string& text = type->as_string();
    const std::string_view name = std::string_view(text).substr(text.rfind('.') + 1);
    const std::string_view here = type_in_ptp(name);
    if (here != text) {
        report.note(type->place(), path + ".type", fmt::format("{} is called {}", text, here));
        table.set("type", Value(std::string(here)).at(type->place()), key_place(table, "type"));
    }
}

// Returns whether to convert a key: not if ptp's component has it too, with the same meaning.
bool concerns(const Subject& subject, const ComponentKey& key) {
    const bool is_its = key.type == "*" || key.type == subject.type;
    const bool is_kept = key.reading != Reading::kMeansElse && subject.declared != nullptr &&
                         is_declared(*subject.declared, key.table, key.from);
    return is_its && !is_kept && (key.when.empty() || subject.table.is_true_at(key.when));
}

std::string full_key(const Subject& subject, std::string_view table, std::string_view key) {
    return fmt::format("{}{}{}.{}", subject.path, table.empty() ? "" : ".", table, key);
}

void report_rename(const Subject& subject, const ComponentKey& key, const SourceLocation& place) {
    const std::string name = full_key(subject, key.table, key.from);
    if (key.reading == Reading::kIgnored) {
        subject.report.problems.warning(
            place, name,
            fmt::format("PyTorchPipe does not read this key; it is {} here, and counts", key.to));
    } else {
        subject.report.note(place, name, fmt::format("is called {}", key.to));
    }
}

// Moves a key between tables, for example from streams to globals.
void move_key(const Subject& subject, const ComponentKey& key, Value& from) {
    const Value value = *from.find(key.from);
    const SourceLocation place = key_place(from, key.from);
    from.erase(key.from);
    const std::size_t dot = key.to.find('.');
    Value& to = table_in(subject.table, std::string(key.to.substr(0, dot)));
    to.set(std::string(key.to.substr(dot + 1)), value, place);
    report_rename(subject, key, place);
}

void import_key(const Subject& subject, const ComponentKey& key) {
    Value* const table = key.table.empty() ? &subject.table : subject.table.find(key.table);
    const bool is_there = table != nullptr && table->is_table() && table->find(key.from) != nullptr;
    if (is_there && key.to.find('.') != std::string_view::npos) {
        move_key(subject, key, *table);
        return;
    }
    if (is_there) {
        const SourceLocation place = key_place(*table, key.from);
        if (rename_key(*table, key.from, key.to)) {
            report_rename(subject, key, place);
        }
        return;
    }
    if (key.table == "streams" &&
        key.reading != Reading::kIgnored) {  // then it is the stream's name there
        Value& streams = table_in(subject.table, "streams");
        if (streams.find(key.to) == nullptr) {
            streams.set(std::string(key.to),
                        Value(std::string(key.from)).at(subject.table.place()));
        }
    }
}

Value toml_at(std::string_view text, const SourceLocation& place) {
    return read_toml_value(text, {std::string(place.file()), 0, 0})->at(place);
}

void import_value(const Subject& subject, const OtherValue& other) {
    const bool is_its = other.type == "*" || other.type == subject.type;
    const Value* const value = subject.table.find(other.key);
    if (!is_its || value == nullptr || inline_toml(*value) != other.from ||
        (!other.to_key.empty() && subject.declared != nullptr &&
         is_declared(*subject.declared, "", other.key))) {
        return;
    }
    const SourceLocation place = key_place(subject.table, other.key);
    const std::string name = full_key(subject, "", other.key);
    if (other.to.empty()) {
        subject.table.erase(other.key);
        subject.report.note(place, name, fmt::format("{} is the default", other.from));
        return;
    }
    const Value replacement = toml_at(other.to, value->place());
    const std::string key(other.to_key.empty() ? other.key : other.to_key);
    subject.report.note(place, name, fmt::format("{} is {} = {}", other.from, key, other.to));
    subject.table.erase(other.key);
    subject.table.set(key, replacement, place);
}

void add_default(const Subject& subject, const OtherDefault& other) {
    if (other.type != subject.type ||
        (!other.unless.empty() && subject.table.find(other.unless) != nullptr)) {
        return;
    }
    Value& table =
        other.table.empty() ? subject.table : table_in(subject.table, std::string(other.table));
    if (table.find(other.key) == nullptr) {
        table.set(std::string(other.key), toml_at(other.value, subject.table.place()));
    }
}

void report_lost(const Subject& subject, const LostDefault& lost) {
    if (lost.type == subject.type && subject.table.find(lost.key) == nullptr &&
        subject.table.find(lost.or_else) == nullptr) {
        subject.report.problems.warning(
            subject.table.place(), subject.path,
            Explanation{std::string(lost.why), std::string(lost.instead)});
    }
}

// Returns the words of a list, with "all" expanded, without the one that became a separate setting.
Value without_flag(const std::vector<std::string>& words, const WordFlag& flag,
                   const SourceLocation& place) {
    std::vector<Value> kept;
    for (const std::string& word : words) {
        for (const std::string& one :
             names_in_text(word == "all" ? flag.all : std::string_view(word))) {
            if (one != flag.word && one != "none") {
                kept.push_back(Value(one).at(place));
            }
        }
    }
    return Value::list(std::move(kept)).at(place);
}

// Converts "lowercase, tokenize": a word becomes a separate setting.
void import_word(const Subject& subject, const WordFlag& flag) {
    const Value* const value = flag.type == subject.type ? subject.table.find(flag.key) : nullptr;
    if (value == nullptr) {
        return;
    }
    const std::vector<std::string> words = texts_of(*value);
    const SourceLocation place = key_place(subject.table, flag.key);
    const std::string key = full_key(subject, "", flag.key);
    const Value list = without_flag(words, flag, value->place());
    subject.table.set(std::string(flag.key), list, place);
    if (std::ranges::any_of(
            words, [&](const std::string& word) { return word == flag.word || word == "all"; })) {
        subject.table.set(std::string(flag.flag), Value(true).at(list.place()), place);
        subject.report.note(place, key,
                            fmt::format("{} is {} = true; words are what is between white space, "
                                        "where NLTK also cuts punctuation off",
                                        flag.word, flag.flag));
        return;
    }
    const auto random = std::ranges::find_if(
        words, [](const std::string& word) { return word.starts_with("random_"); });
    if (random != words.end()) {
        subject.report.problems.warning(
            place, key,
            fmt::format("PyTorchPipe ignores {} without {}; here it counts", *random, flag.word));
    }
}

// Sets trailing_dims instead of the number of all dimensions.
void import_reduction(const Subject& subject) {
    const Value* const count = subject.table.find("num_inputs_dims");
    if (subject.type != "ReduceTensor" || count == nullptr || !count->is_integer()) {
        return;
    }
    const Value* const dimension = subject.table.find("reduction_dim");
    const std::int64_t reduced =
        dimension != nullptr && dimension->is_integer() ? dimension->as_integer() : 1;
    const std::int64_t trailing = std::max<std::int64_t>(count->as_integer() - 1 - reduced, 0);
    const SourceLocation place = key_place(subject.table, "num_inputs_dims");
    subject.table.set("trailing_dims", Value(trailing).at(count->place()), place);
    subject.table.erase("num_inputs_dims");
    subject.report.note(place, full_key(subject, "", "num_inputs_dims"),
                        fmt::format("is trailing_dims = {}", trailing));
}

// Converts a list of characters to a text.
void import_characters(const Subject& subject) {
    const Value* const list = subject.table.find("remove_characters");
    if (subject.type != "SentenceTokenizer" || list == nullptr || !list->is_list()) {
        return;
    }
    const SourceLocation place = key_place(subject.table, "remove_characters");
    subject.table.set("remove_characters", Value(join(texts_of(*list), "")).at(list->place()),
                      place);
}

// Converts { file, model } of a checkpoint.
void import_load(const Subject& subject) {
    Value* const load = subject.table.find("load");
    if (load == nullptr || !load->is_table()) {
        return;
    }
    for (const auto& [from, to] : {std::pair("file", "from"), std::pair("model", "component")}) {
        const SourceLocation place = key_place(*load, from);
        if (rename_key(*load, from, to)) {
            subject.report.note(place, full_key(subject, "load", from),
                                fmt::format("is called {}", to));
        }
    }
}

}  // namespace

const plugin::Component* find_declared(const plugin::Catalog& catalog, const Value& table) {
    const Value* const type = table.find("type");
    if (type == nullptr || !type->is_string()) {
        return nullptr;
    }
    const auto found = catalog.find(type->as_string());
    return found.size() == 1 ? found.front().component : nullptr;
}

void import_component(Value& table, const std::string& path, Components& components,
                      Report& report) {
    import_type(table, path, report);
    const Subject subject{table, path, text_at(&table, "type", ""),
                          find_declared(components.catalog, table), report};
    for (const ComponentKey& key : kComponentKeys) {
        if (concerns(subject, key)) {
            import_key(subject, key);
        }
    }
    for (const LostDefault& lost : kLostDefaults) {
        report_lost(subject, lost);
    }
    for (const OtherDefault& other : kOtherDefaults) {
        add_default(subject, other);
    }
    for (const OtherValue& other : kOtherValues) {
        import_value(subject, other);
    }
    for (const WordFlag& flag : kWordFlags) {
        import_word(subject, flag);
    }
    import_reduction(subject);
    import_characters(subject);
    if (has_vocabulary(subject.type)) {
        import_vocabulary(table, path, components.vocabularies, report);
    }
    import_load(subject);
    if (subject.declared != nullptr) {
        fit(table, path, *subject.declared, report);
    }
}

}  // namespace ptp::importer
