// Maps names of PyTorch, Keras, Lightning and the like to keys of experiments. Used for keys of
// files, for --set and for options of the command line.

#pragma once

#include "base/explanation.hpp"
#include "schema/familiar_names.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// Returns the full key for a name: "training.terminal_conditions.epoch_limit" for "max_epochs".
// Ignores case and '-' for '_'.
std::optional<std::string> familiar_key(std::string_view name);

// Returns the key within a table: "validation.task.batch_size" for "batch_size" in "validation";
// or, if the name is from no other program, the key of another table with this name. Includes the
// replacement if the value is written differently here: "{ norm = 1.0 }" for the 1.0 of
// "max_grad_norm".
std::optional<schema::MeantKey> familiar_key_in(std::string_view table, const Member& unknown);

// Returns the settings of components for a name of another framework: "output_dims" for the "shape"
// of a reshaping. Empty if there are none.
std::vector<std::string> familiar_settings(std::string_view name);

// Explains a setting with which other frameworks freeze parameters, such as `requires_grad`;
// nullopt for any other.
std::optional<Explanation> familiar_freezing(const Member& unknown);

// Returns what to write if a name is given for a table, "cosine" for `scheduler`: "{ type =
// \"CosineAnnealingWarmRestarts\", T_0 = 10 }"; "" if no type has the name.
std::string familiar_table(std::string_view key, std::string_view name);

// Returns what to write for a value of other programs: "\"bf16\"" for "bf16-mixed" as `precision`;
// "" if unknown.
std::string familiar_value(std::string_view key, const Value& value);

// Returns what to write for a name as the type in such a table; "" if no type has the name.
std::string familiar_type_table(std::string_view key, std::string_view name);

// The functions above, for readers of tables.
inline constexpr schema::FamiliarNames kFamiliarNames = {.table = familiar_table,
                                                         .value = familiar_value,
                                                         .type_table = familiar_type_table,
                                                         .key = familiar_key_in};

}  // namespace ptp::experiment
