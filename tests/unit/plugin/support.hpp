#pragma once

#include "plugin/manifest.hpp"

#include <string>
#include <vector>

namespace ptp::test {

// What full_manifest() has.
inline plugin::Setting setting_with_members() {
    plugin::Setting member;
    member.type = plugin::SettingType::kReal;
    member.is_required = true;
    member.name = "learning_rate";
    member.range = "(0, 1]";
    member.help = "Step";

    plugin::Setting table;
    table.type = plugin::SettingType::kTable;
    table.name = "optimizer";
    table.members = {member};
    table.help = "An optimizer";
    return table;
}

inline std::vector<plugin::Setting> full_settings() {
    plugin::Setting cells;
    cells.type = plugin::SettingType::kEnumeration;
    cells.list_depth = 1;
    cells.takes_list_or_one = true;
    cells.name = "cells";
    cells.default_value = "[\"LSTM\"]";
    cells.length = "[1, 3]";
    cells.choices = {"LSTM", "GRU"};
    cells.help = "Kinds of cell; caf\xc3\xa9 \"quoted\" \\ back";

    plugin::Setting streams;
    streams.type = plugin::SettingType::kString;
    streams.list_depth = 1;
    streams.name = "extra";
    streams.help = "More inputs";

    plugin::Setting file;
    file.type = plugin::SettingType::kString;
    file.is_output_file = true;
    file.name = "file";
    file.help = "What is written";
    file.purpose = plugin::Purpose::kLabelColumn;

    plugin::Setting folder;
    folder.type = plugin::SettingType::kPath;
    folder.name = "folder";
    folder.help = "Where the words are";
    folder.obtain = "install the words";
    return {setting_with_members(), cells, streams, folder, file};
}

inline std::vector<plugin::Port> full_ports() {
    const plugin::Port input{.direction = plugin::Direction::kInput,
                             .element = plugin::Element::kTokens,
                             .is_optional = true,
                             .is_loss = false,
                             .is_reshaped = false,
                             .name = "words",
                             .shape = "B",
                             .when = "cells",
                             .streams_setting = "extra",
                             .help = "Words",
                             .meaning = "scores|values",
                             .purpose = plugin::Purpose::kTargets};
    const plugin::Port output{.direction = plugin::Direction::kOutput,
                              .element = plugin::Element::kFloating,
                              .is_optional = false,
                              .is_loss = true,
                              .is_reshaped = true,
                              .name = "loss",
                              .shape = "",
                              .when = "",
                              .streams_setting = "",
                              .help = "A loss"};
    return {input, output};
}

inline std::vector<plugin::Statistic> full_statistics() {
    const plugin::Statistic weight{.aggregation = plugin::Aggregation::kSum,
                                   .is_hidden = true,
                                   .is_integer = true,
                                   .has_spread = false,
                                   .is_set_only = false,
                                   .is_larger_better = false,
                                   .is_smaller_better = false,
                                   .decimals = 0,
                                   .name = "samples",
                                   .weight = "",
                                   .when = "",
                                   .help = "Samples"};
    const plugin::Statistic mean{.aggregation = plugin::Aggregation::kMean,
                                 .is_hidden = false,
                                 .is_integer = false,
                                 .has_spread = true,
                                 .is_set_only = true,
                                 .is_larger_better = true,
                                 .is_smaller_better = false,
                                 .decimals = 6,
                                 .name = "mean",
                                 .weight = "samples",
                                 .when = "cells",
                                 .help = "A mean"};
    return {weight, mean};
}

inline plugin::Component full_component() {
    plugin::Component component;
    component.kind = plugin::Kind::kLoss;
    component.name = "FullLoss";
    component.summary = "All there is";
    component.description = "First line\nsecond line";
    component.settings = full_settings();
    component.ports = full_ports();
    component.globals = {{.access = plugin::GlobalAccess::kWrite,
                          .name = "size",
                          .value = "10",
                          .when = "cells",
                          .help = "A size",
                          .purpose = plugin::Purpose::kClassCount}};
    component.statistics = full_statistics();
    component.requirements = {
        {.relation = "length($extra) <= 3", .message = "must be short", .when = "cells"}};
    component.abilities = std::vector<std::string>{"ptp.statistics/1", "ptp.state/1"};
    return component;
}

// A manifest that keeps every rule and in which no member has its default value.
inline plugin::Manifest full_manifest() {
    plugin::Manifest manifest;
    manifest.abi_major = PTP_ABI_MAJOR;
    manifest.abi_minor = PTP_ABI_MINOR;
    manifest.name = "full";
    manifest.version = "1.0.0";
    manifest.license = "Apache-2.0";
    manifest.author = "Jane Doe <jane@example.org>";
    manifest.homepage = "https://example.org/full";
    manifest.build = {.libtorch = "1.13.1 (libtorch_cpu.so.1.13)",
                      .standard_library = "libstdc++ cxx11",
                      .sanitizer = "address",
                      .compiler = "g++ 12"};
    manifest.components = {full_component()};
    return manifest;
}

}  // namespace ptp::test
