// Names that people know from PyTorch, Keras, Lightning and the like, and what an experiment has
// for them. One table for keys of files, for --set and for options of the command line.

#pragma once

#include "schema/familiar_names.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// The full key that is meant by a name: "training.terminal_conditions.epoch_limit" for
// "max_epochs". Case and '-' for '_' do not count.
std::optional<std::string> familiar_key(std::string_view name);

// The same within a table: "validation.task.batch_size" for "batch_size" in "validation"; or, where
// no other program has the name, the key of another table that has it. With what to write for the
// value where it has another form here: "{ norm = 1.0 }" for the 1.0 of "max_grad_norm".
std::optional<schema::MeantKey> familiar_key_in(std::string_view table, const Member& unknown);

// The settings of components that are meant by a name of another framework: "output_dims" for the
// "shape" of a reshaping. Empty where there are none.
std::vector<std::string> familiar_settings(std::string_view name);

// What to write where a table is wanted and a name is given, "cosine" for `scheduler`:
// "{ type = \"CosineAnnealingWarmRestarts\", T_0 = 10 }"; "" where no type goes by the name.
std::string familiar_table(std::string_view key, std::string_view name);

// What to write for a value that other programs have: "\"bf16\"" for "bf16-mixed" as `precision`;
// "" where none is known.
std::string familiar_value(std::string_view key, const Value& value);

// The same for a name as the type in such a table: "" where no type goes by it.
std::string familiar_type_table(std::string_view key, std::string_view name);

// The types of components that are meant by a name of another framework: "FeedForwardNetwork" for
// "MLP". Empty where there is none.
std::vector<std::string> familiar_components(std::string_view name);

// The same for readers of tables.
inline constexpr schema::FamiliarNames kFamiliarNames = {.table = familiar_table,
                                                         .value = familiar_value,
                                                         .type_table = familiar_type_table,
                                                         .key = familiar_key_in};

}  // namespace ptp::experiment
