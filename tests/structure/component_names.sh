#!/usr/bin/env bash
# The runtime and the programs know no component by its name, and no setting, port or global that has a purpose
# (decision 77): a text of theirs has neither the type of a component of plugins/ within it, nor such a name as a whole.
# A name may be a word of the host's own as well: these places are listed below, with what it is there.

# shellcheck source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"
root=$1

mapfile -t plugins < <(files plugins '*.cpp' '*.hpp')
mapfile -t sources < <({ files runtime '*.cpp' '*.hpp'; files tools '*.cpp' '*.hpp'; } |
    grep -Ev '^tools/ptp-(import|export)/' || true)  # which translate the names of other programs
[[ ${#plugins[@]} -gt 0 && ${#sources[@]} -gt 0 ]] || finish

# The components, and the names before a purpose: ptp::output("targets", ...).purpose(PTP_PURPOSE_...), and of settings.
types=$(cd "$root" && grep -hoP 'static constexpr const char\* name = "\K\w+(?=")' "${plugins[@]}" | sort -u | paste -sd'|')
parts=$(cd "$root" && for file in "${plugins[@]}"; do
    tr '\n' ' ' <"$file" |
        grep -oP '\b(setting|input|output|reads|reads_if_named|reads_if_published|publishes|publishes_if_named)\(\s*"\K\w+"(?=((?!\b(setting|input|output|reads\w*|publishes\w*)\().)*PTP_PURPOSE_)' || true
done | tr -d '"' | sort -u | grep -vx values | paste -sd'|')  # "values" is a word of everybody's
[[ -n $types$parts ]] || finish

# FILE NAME reason
allowed=$(mktemp)
trap 'rm -f "$allowed"' EXIT
cat >"$allowed" <<'LIST'
runtime/experiment/familiar_keys.hpp * words of other programs, each proposed where a component declares it
runtime/experiment/glossary.cpp * examples for readers of the glossary
runtime/experiment/familiar_values.cpp separator a spelling that other programs have, for any setting of this name
runtime/experiment/familiar_values.cpp split the same
runtime/engine/checkpoint/fit.cpp LayerNorm a name in published files
runtime/experiment/samplers.hpp targets the default of a key of the experiment, label_stream
runtime/control/requests.hpp files an argument of the request `swap`
runtime/bundle/manifest.hpp files the folder of a bundle
runtime/bundle/packed_file.hpp files a key of a package's manifest
runtime/bundle/history.cpp files a key of the facts about a run's data
runtime/engine/data/sampler.cpp classes what random numbers are drawn for
runtime/engine/data/sampler.cpp split the same
runtime/engine/output/sample_values.cpp targets a key of the header of a file of samples
runtime/engine/output/sample_values.cpp classes the same
runtime/engine/output/sample_examples.cpp classes a form of examples
tools/ptp-report/data_section.cpp classes a key of the facts about data
tools/ptp-report/examples.cpp classes a form of examples
runtime/experiment/explanations.cpp classes an option
tools/ptprun/explain_options.cpp classes an option
tools/ptp-report/classification_section.cpp targets the same
tools/ptp-report/classification_section.cpp classes the same
tools/ptp-report/classification_section.cpp label a column of the list of samples
tools/ptp-report/samples_section.cpp label the same
tools/ptp-report/regression_section.cpp targets a key of the header of a file of samples
tools/ptp-report/samples_section.cpp targets the same
runtime/experiment/read_experiment.cpp part a key of samplers in folds
runtime/experiment/samplers.hpp part the same
runtime/solo/recording_file.cpp part a part of a component
tools/ptprun/explain_command.cpp part an option
runtime/engine/train/data_facts.cpp files a key of a checkpoint
runtime/distributed/rank_state.cpp unknown a word for a phase
runtime/plugin/fingerprint.cpp unknown a word for a build
runtime/run/record.cpp unknown a word for the state of git
runtime/plugin/enum_names.hpp * words for purposes
runtime/experiment/read_component.cpp LeNet5 an example in the text for a key
runtime/pipeline/layers.cpp Linear an example in the text for a list of layers
tools/ptp-inspect/check.cpp incomplete a word for an outcome
tools/ptp-inspect/why_command.cpp LeNet5 an example in the help
tools/ptp-pack/manifest.cpp files a key of a package
tools/ptp-pack/show_command.cpp files a word of a sentence
tools/ptprun/control_command.cpp files an argument of the request `swap`
tools/ptprun/missing_downloads.cpp files a key of downloads.toml
tools/ptprun/predict_command.cpp classes an option
LIST

while IFS=: read -r file line word; do
    if ! grep -qE "^$file (\\*|$word) " "$allowed"; then
        violation "$file:$line: names '$word' of a plugin: ask for its purpose (decision 77)"
    fi
done < <(cd "$root" && { grep -noP \
    "^(?!\s*//)(?:[^\"/]|/(?!/)|\"(?:[^\"\\\\]|\\\\.)*?\")*?\"(?:(?:[^\"\\\\]|\\\\.)*?\b\K($types)\b(?=(?:[^\"\\\\]|\\\\.)*\")|\K($parts)(?=\"))" \
    /dev/null "${sources[@]}" || true; })

finish
