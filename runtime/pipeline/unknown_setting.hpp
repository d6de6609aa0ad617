// A key that a component does not have: the setting that is meant by it.

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"
#include "pipeline/settings.hpp"
#include "schema/key.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ptp::pipeline {

// A value that has a key of its own here, such as "balanced" for the weights of classes.
std::optional<Explanation> of_other_key(const Member& given, const SettingsSource& source);

// In foreign_setting.cpp: what other programs have as a setting. All return nullopt for other keys.

// A name of trained weights.
std::optional<Explanation> of_weights(const Member& unknown, const SettingsSource& source);
// The activation of a layer, as Keras has it, where layers are in a list, and of a whole network.
std::optional<Explanation> of_activation(const Member& unknown, const SettingsSource& source);
// A name that is no setting here, because it is always so, or a command.
std::optional<Explanation> of_habit(const Member& unknown, const SettingsSource& source);
// Returns the setting of the component that names what the experiment's first loss compares with
// predictions: a column of classes, or columns of numbers; "" if there is none, or if no loss is
// known.
std::string column_compared(const SettingsSource& source);
// Numbers for pixels from 0 to 255 in a table for pixels from 0 to 1, such as a mean of 123.7, and
// a name in place of its numbers, as Normalize has it: { by = "imagenet" }.
std::optional<Explanation> of_pixels(const schema::Key& key, const Value& given,
                                     const std::string& path);

// Explains a key that is not a declared one.
Explanation unknown_setting(const Member& unknown, const std::vector<schema::Key>& keys,
                            const SettingsSource& source);

}  // namespace ptp::pipeline
