#pragma once

#include "plugin/manifest.hpp"

#include <string>
#include <vector>

namespace ptp::test {

// A manifest that keeps every rule and in which no member has its default value.
inline plugin::Manifest full_manifest() {
    using namespace ptp::plugin;
    Setting member;
    member.type = SettingType::kReal;
    member.is_required = true;
    member.name = "learning_rate";
    member.range = "(0, 1]";
    member.help = "Step";

    Setting table;
    table.type = SettingType::kTable;
    table.name = "optimizer";
    table.members = {member};
    table.help = "An optimizer";

    Setting cells;
    cells.type = SettingType::kEnumeration;
    cells.list_depth = 1;
    cells.takes_list_or_one = true;
    cells.name = "cells";
    cells.default_value = "[\"LSTM\"]";
    cells.length = "[1, 3]";
    cells.choices = {"LSTM", "GRU"};
    cells.help = "Kinds of cell; caf\xc3\xa9 \"quoted\" \\ back";

    Setting streams;
    streams.type = SettingType::kString;
    streams.list_depth = 1;
    streams.name = "extra";
    streams.help = "More inputs";

    Setting file;
    file.type = SettingType::kString;
    file.is_output_file = true;
    file.name = "file";
    file.help = "What is written";

    Setting folder;
    folder.type = SettingType::kPath;
    folder.name = "folder";
    folder.help = "Where the words are";
    folder.obtain = "install the words";

    const Port input{.direction = Direction::kInput,
                     .element = Element::kTokens,
                     .is_optional = true,
                     .is_loss = false,
                     .is_reshaped = false,
                     .name = "words",
                     .shape = "B",
                     .when = "cells",
                     .streams_setting = "extra",
                     .help = "Words"};
    const Port output{.direction = Direction::kOutput,
                      .element = Element::kFloating,
                      .is_optional = false,
                      .is_loss = true,
                      .is_reshaped = true,
                      .name = "loss",
                      .shape = "",
                      .when = "",
                      .streams_setting = "",
                      .help = "A loss"};
    const Global global{.access = GlobalAccess::kWrite,
                        .name = "size",
                        .value = "10",
                        .when = "cells",
                        .help = "A size"};
    const Statistic weight{.aggregation = Aggregation::kSum,
                           .is_hidden = true,
                           .is_integer = true,
                           .has_spread = false,
                           .is_set_only = false,
                           .decimals = 0,
                           .name = "samples",
                           .weight = "",
                           .when = "",
                           .help = "Samples"};
    const Statistic mean{.aggregation = Aggregation::kMean,
                         .is_hidden = false,
                         .is_integer = false,
                         .has_spread = true,
                         .is_set_only = true,
                         .decimals = 6,
                         .name = "mean",
                         .weight = "samples",
                         .when = "cells",
                         .help = "A mean"};

    Component component;
    component.kind = Kind::kLoss;
    component.name = "FullLoss";
    component.summary = "All there is";
    component.description = "First line\nsecond line";
    component.settings = {table, cells, streams, folder, file};
    component.ports = {input, output};
    component.globals = {global};
    component.statistics = {weight, mean};
    component.requirements = {
        {.relation = "length($extra) <= 3", .message = "must be short", .when = "cells"}};
    component.abilities = std::vector<std::string>{"ptp.statistics/1", "ptp.state/1"};

    Manifest manifest;
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
    manifest.components = {component};
    return manifest;
}

}  // namespace ptp::test
