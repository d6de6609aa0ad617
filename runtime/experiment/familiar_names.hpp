// Maps names of PyTorch, Keras, Lightning and the like to keys of experiments. Used for keys of
// files, for --set and for options of the command line.

#pragma once

#include "base/explanation.hpp"
#include "schema/familiar_names.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// A word of PyTorch, Lightning or Keras.
struct Word {
    std::string_view name;     // or several, separated by commas
    std::string_view meaning;  // in ptp, and where to write it
};
std::span<const Word> glossary();

// The words of ptp itself.
std::span<const Word> own_words();

// Returns what one of those means, also for its plural; empty for another word.
std::vector<std::string_view> own_meanings_of(std::string_view word);

// Returns what the glossary has for a word of another program. Ignores case, and whether '-', '_'
// or a blank divides it.
std::vector<std::string_view> meanings_of(std::string_view word);

// Returns words of the purpose that a component of another framework has, as summaries of
// components have them: "ROC curve" for "AUROC"; several where a loss and a statistic have the
// name, and none for a name whose own words do.
std::vector<std::string_view> words_of_type(std::string_view name);

// Returns the full key for a name: "training.terminal_conditions.epoch_limit" for "max_epochs".
// Ignores case and '-' for '_'.
std::optional<std::string> familiar_key(std::string_view name);

// Returns whether some experiment may have a key: "training.task", "checkpoint.keep".
bool is_declared(const std::string& key);

// Returns the key that is meant within a table: "validation.task.batch_size" for "batch_size" in
// "validation"; or, if the name is from no other program, the key of another table with this name.
// Includes the replacement if the value is written differently here: "{ norm = 1.0 }" for the 1.0
// of "max_grad_norm", and what to do where the document has no use for the key.
std::optional<schema::MeantKey> familiar_key_in(const schema::UnknownKey& unknown);

// Keeps those texts of values that a key of experiments takes; all for a setting of a component.
void choose_for_key(const std::string& key, std::vector<std::string>& meanings);

// Returns the settings of components for a name of another framework: "output_dims" for the "shape"
// of a reshaping. Empty if there are none.
std::vector<std::string> familiar_settings(std::string_view name);

// Returns what to do about a setting that models have elsewhere, and that has no use here; "" for
// others.
std::string surplus_of_models(std::string_view name);

// Returns the key for a value that a setting has in another framework, such as "balanced" as
// `class_weight`; nullopt for other values.
std::optional<schema::MeantKey> familiar_key_for_value(const Member& setting);

// The fix that leads to a file that "imagenet" or `pretrained = true` means.
inline constexpr std::string_view kPublishedWeights =
    "docs/pretrained-weights.md names published files, and `ptprun fetch EXPERIMENT` downloads the "
    "one that is written";

// The fix for `shuffle` beside a sampler.
inline constexpr std::string_view kFixBesideSampler =
    "leave it out: the sampler decides the order; or leave out the sampler";

// Explains a setting with which other frameworks freeze parameters, such as `requires_grad`;
// nullopt for any other.
std::optional<Explanation> familiar_freezing(const Member& unknown);

// Returns what to write if a name is given for a table, "cosine" for `scheduler`: "{ type =
// \"CosineAnnealingLR\" }"; "" if no type has the name.
std::string familiar_table(std::string_view key, std::string_view name);

// Returns a value to begin with for a required key: an optimizer, or its learning rate; "" for
// others.
std::string familiar_example(std::string_view key);

// Returns what to write for a value of other programs: "\"bf16\"" for "bf16-mixed" as `precision`;
// "" if unknown.
std::string familiar_value(std::string_view key, const Value& value);

// Returns what to write as this key for a setting of another name, as `train_size` is of `split`.
std::string familiar_setting(std::string_view key, const Member& given);

// Returns "larger" or "smaller", the better values of a statistic by the words of its name, for
// fixes and for plugins that do not declare them; "" for other words.
std::string usual_direction(std::string_view statistic);

// Returns what to write for a name as the type in such a table; "" if no type has the name.
std::string familiar_type_table(std::string_view key, std::string_view name);

// Returns what is in place of [metrics] with accuracy = true: a component; "" for other tables.
std::string fix_of_metrics(const Member& unknown);

// Returns the key in place of a table [model] or [net]: its own name for a component, and for
// settings alone the only component of the pipeline that has all of them.
std::string key_of_model(const schema::UnknownKey& of);

// Returns which components the settings of such a table can be of, where the pipeline has others
// than `model`; "" elsewhere.
std::string fix_of_model(const schema::UnknownKey& of);

// Returns what is here in place of the callbacks of Keras and Lightning, by their names; "" for
// other keys, and for tables of them.
std::string fix_of_callbacks(const Member& unknown);

// Returns the name of a statistic here: "loss" for "val_loss", "f1score" for "val_f1".
std::string statistic_of(std::string name);

// Returns the first meaning of a word; "" if the glossary does not have it.
std::string meaning_of_word(std::string_view word);

// Returns what to write so that a key has the value, in a place where the document takes it as its
// tables are written, with lines [name], in braces or by dotted keys; "" if that is not known.
std::string fix_in_document(const schema::UnknownKey& unknown, const std::string& key,
                            const std::string& value);

// The functions above, for readers of tables.
inline constexpr schema::FamiliarNames kFamiliarNames = {.table = familiar_table,
                                                         .value = familiar_value,
                                                         .type_table = familiar_type_table,
                                                         .key = familiar_key_in,
                                                         .meaning = meaning_of_word,
                                                         .example = familiar_example,
                                                         .fix = fix_in_document};

}  // namespace ptp::experiment
