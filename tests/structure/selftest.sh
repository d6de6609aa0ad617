#!/usr/bin/env bash
# The checks find what they are there to find: each planted violation is named in full, and a tree
# without any passes.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failure_count=0

# plant FILE CONTENT: puts a file into the tree, beside the file of the next expect.
plant() {
    mkdir -p "$tree/$(dirname "$1")"
    printf '%b' "$2" >"$tree/$1"
}

# expect CHECK FILE CONTENT MESSAGE: with such a file in the tree, the check says exactly this.
# Without a message: it says nothing.
expect() {
    local check=$1 file=$2 content=$3 message=${4-} output status=0
    plant "$file" "$content"
    output=$("$here/$check.sh" "$tree") || status=$?
    if [[ $output != "$message" || ( -n $message && $status -ne 1 ) ||
          ( -z $message && $status -ne 0 ) ]]; then
        printf '%s.sh on %s:\n  expected: %s\n  got (%s): %s\n' \
            "$check" "$file" "$message" "$status" "$output"
        failure_count=$((failure_count + 1))
    fi
    rm -rf "${tree:?}"/*
}

torch='#include <torch/torch.h>\n'
expect layers runtime/experiment/a.cpp '#include "experiment/a.hpp"\n#include <vector>\n'
expect layers runtime/plugin/a.cpp '#include <ptp/abi.h>\n'
expect layers runtime/engine/train/a.cpp "$torch"
expect layers runtime/engine/train/a.cpp '#include "engine/component/a.hpp"\n#include "engine/request.hpp"\n'
expect layers runtime/pipeline/a.cpp '#include "experiment/a.hpp"\n#include "plugin/b.hpp"\n'
expect layers plugins/a/a.cpp "#include <ptp/plugin.hpp>\n$torch"
expect layers runtime/experiment/a.cpp "\n$torch" \
    'runtime/experiment/a.cpp:2: includes <torch/torch.h>: runtime/experiment is free of libtorch'
expect layers runtime/plugin/a.hpp '  #  include <ATen/core/Tensor.h> // x\n' \
    'runtime/plugin/a.hpp:1: includes <ATen/core/Tensor.h>: runtime/plugin is free of libtorch'
expect layers runtime/pipeline/a.cpp '#include <c10/util/Exception.h>\n' \
    'runtime/pipeline/a.cpp:1: includes <c10/util/Exception.h>: runtime/pipeline is free of libtorch'
expect layers runtime/engine/component/compat.hpp '#include <vector>\n#if TORCH_VERSION_MAJOR < 2\n'
expect layers plugins/a/a.cpp '#include <vector>\n#if TORCH_VERSION_MAJOR < 2\n' \
    'plugins/a/a.cpp:2: asks for the version of libtorch: runtime/engine/component/compat.hpp alone does'
expect layers runtime/engine/train/training_session.cpp '#include <vector>\n    if (collective.size() == 1) {\n'
expect layers runtime/engine/train/a.cpp '#include <vector>\n    if (session_.collective.size() > 1) {\n' \
    'runtime/engine/train/a.cpp:2: asks whether there are several processes: a function of Collective or TrainingSession does'
expect layers tools/ptprun/main.cpp "$torch" \
    'tools/ptprun/main.cpp:1: includes <torch/torch.h>: the programs are free of libtorch'
expect layers tools/ptprun/main.cpp '#include <ptp/testing.hpp>\n' \
    'tools/ptprun/main.cpp:1: includes <ptp/testing.hpp>: the host knows ptp/abi.h only, not the C++ layer'
expect layers tools/ptp-cases/main.cpp "#include <ptp/testing.hpp>\n#include \"plugin/a.hpp\"\n$torch"
expect layers tools/ptp-cases/main.cpp '#include "experiment/a.hpp"\n' \
    'tools/ptp-cases/main.cpp:1: includes "experiment/a.hpp": ptp-cases knows plugins and the SDK alone'
expect layers runtime/engine/component/a.cpp '#include <ptp/plugin.hpp>\n' \
    'runtime/engine/component/a.cpp:1: includes <ptp/plugin.hpp>: the host knows ptp/abi.h only, not the C++ layer'
expect layers runtime/experiment/a.cpp '#include "plugin/a.hpp"\n' \
    'runtime/experiment/a.cpp:1: includes "plugin/a.hpp": experiment may include: base schema'
expect layers runtime/experiment/a.cpp '#include <ptp/abi.h>\n' \
    'runtime/experiment/a.cpp:1: includes <ptp/abi.h>: experiment knows no component'
expect layers runtime/schema/a.cpp '#include "experiment/a.hpp"\n' \
    'runtime/schema/a.cpp:1: includes "experiment/a.hpp": schema may include: base'
expect layers runtime/experiment/a.cpp '#include <ptp/reserved_names.h>\n'
expect layers runtime/plugin/a.cpp '#include "experiment/a.hpp"\n' \
    'runtime/plugin/a.cpp:1: includes "experiment/a.hpp": plugin may include: base schema'
expect layers runtime/engine/train/a.cpp '#include "engine/swap/a.hpp"\n' \
    'runtime/engine/train/a.cpp:1: includes "engine/swap/a.hpp": in the engine train stands below swap'
expect layers runtime/engine/component/a.hpp '#include "engine/data/a.hpp"\n' \
    'runtime/engine/component/a.hpp:1: includes "engine/data/a.hpp": in the engine component stands below data'
expect layers runtime/engine/box/a.cpp '#include <vector>\n' \
    'runtime/engine/box/a.cpp:1: lies in no folder of the engine that has a floor'
expect layers runtime/engine/a.hpp '#include "engine/train/a.hpp"\n' \
    'runtime/engine/a.hpp:1: includes "engine/train/a.hpp": a program includes this header, and none of the engine'"'"'s folders'
expect layers runtime/pipeline/a.cpp '#include "engine/a.hpp"\n' \
    'runtime/pipeline/a.cpp:1: includes "engine/a.hpp": pipeline may include: base schema experiment plugin'
expect layers runtime/run/a.cpp '#include "engine/a.hpp"\n' \
    'runtime/run/a.cpp:1: includes "engine/a.hpp": run may include: base schema experiment plugin'
expect layers runtime/control/a.cpp '#include "base/error.hpp"\n#include "base/output_file.hpp"\n'
expect layers runtime/control/a.cpp '#include "engine/component/a.hpp"\n' \
    'runtime/control/a.cpp:1: includes "engine/component/a.hpp": control may include: base schema experiment run'
expect layers runtime/base/a.cpp '#include "experiment/a.hpp"\n' \
    'runtime/base/a.cpp:1: includes "experiment/a.hpp": base may include: nothing'
expect layers sdk/include/ptp/a.hpp '#include "experiment/a.hpp"\n' \
    'sdk/include/ptp/a.hpp:1: includes "experiment/a.hpp": the SDK stands alone'
expect layers plugins/a/a.cpp '#include <plugin/a.hpp>\n' \
    'plugins/a/a.cpp:1: includes <plugin/a.hpp>: a plugin is written with the SDK alone'
expect layers plugins/a/a.cpp '#include "../b/b.hpp"\n' \
    'plugins/a/a.cpp:1: includes "../b/b.hpp": a plugin does not include another'
expect layers sdk/include/ptp/abi.h '#include <stdint.h>\n#include <stdbool.h>\n' \
    'sdk/include/ptp/abi.h:2: includes <stdbool.h>: abi.h depends on nothing else'
expect layers sdk/include/ptp/declarations.h '#include <stdint.h>\n#include <ptp/ext/task.h>\n' \
    'sdk/include/ptp/declarations.h:2: includes <ptp/ext/task.h>: abi.h depends on nothing else'
plant runtime/engine/a.hpp '#include "engine/b.hpp"\n'
plant runtime/engine/b.hpp "$torch"
expect layers tools/ptprun/main.cpp '#include "engine/a.hpp"\n' \
    'runtime/engine/b.hpp:1: includes <torch/torch.h>: a program includes this header'

anonymous='namespace ptp {\n\nnamespace {\n\nint count_of(int a) {\n    return a;\n}\n\n}  // namespace\n\n}  // namespace ptp\n'
plant runtime/base/a.cpp "$anonymous"
expect unity_names runtime/base/b.cpp "$anonymous" \
    'runtime/base/b.cpp:5: count_of is in runtime/base/a.cpp too; in a unity build names of a unit differ'
plant runtime/base/a.cpp "$anonymous"
plant runtime/base/c.hpp 'namespace ptp {\n\nint count_of(double a);\n\n}  // namespace ptp\n'
expect unity_names runtime/base/b.cpp 'int a;\n' \
    'runtime/base/a.cpp:5: count_of hides the one in runtime/base/c.hpp in a unity build; name it otherwise'
plant runtime/plugin/a.cpp "$anonymous"
expect unity_names runtime/base/b.cpp "$anonymous"
expect unity_names tests/unit/a_test.cpp 'int a;\n' \
    'tests/unit/a_test.cpp:1: a test file is in a namespace of its own: namespace a_test { ... }'

class='namespace ptp {\n\nstruct Candidate {\n    int a;\n};\n\n}  // namespace ptp\n'
plant runtime/base/a.hpp "$class"
expect one_definition runtime/engine/b.hpp "$class" \
    'runtime/engine/b.hpp:3: ptp::Candidate is declared in runtime/base/a.hpp:3 too; name one of them otherwise'
plant runtime/base/a.hpp "$class"
expect one_definition runtime/engine/b.cpp "namespace {\n\nstruct Candidate {};\n\n}  // namespace\n"
plant runtime/base/a.hpp "$class"
expect one_definition runtime/engine/b.hpp 'namespace ptp {\n\nstruct Candidate;\n\n}  // namespace ptp\n'

plant tests/structure/budgets.txt '# lines\nruntime/base 10\n'
expect budgets runtime/base/a.cpp '\n\n\n\n\n\n\n\n\n\n\n'
plant tests/structure/budgets.txt 'runtime/base 10\n'
expect budgets runtime/base/a.cpp '\n\n\n\n\n\n\n\n\n\n\n\n' \
    'runtime/base: 12 lines, the budget is 10 and a tenth: make it smaller, or raise it and state why'
for i in {1..40}; do plant "runtime/base/a$i.cpp" '\n'; done
plant tests/structure/budgets.txt 'runtime/base 100\n'
expect budgets runtime/base/a.cpp '\n' \
    'runtime: 41 of 41 files have fewer than 40 lines: fold those with one caller into it'
plant tests/structure/budgets.txt 'runtime/pipeline 10\n'
expect budgets runtime/base/a.cpp '\n' \
    'runtime/pipeline: has a budget, but is no folder
runtime/base: has no budget in budgets.txt'
expect top_folder runtime/report.html '<html></html>\n'
expect top_folder report.html '<html></html>\n' \
    "report.html:1: is neither a source nor a document of the top folder: remove it, or add it to this check's list"

expect file_length runtime/a.cpp "$(printf 'x\\n%.0s' {1..400})"
expect file_length runtime/a.cpp "$(printf 'x\\n%.0s' {1..401})" \
    'runtime/a.cpp:401: more than 400 lines; split it'
expect file_length tests/CMakeLists.txt "$(printf 'x\\n%.0s' {1..101})" \
    'tests/CMakeLists.txt:101: more than 100 lines; split it'

pragma='#pragma once\n'
expect headers runtime/a.hpp "$pragma"'class A {\n    [[nodiscard]] int b() const { return 1; }\n    void c() const;\n};\n'
expect headers sdk/a.hpp "$pragma"'class A {\n    int b() const { return 1; }\n};\n'
expect headers tests/a.hpp 'int a();\n' 'tests/a.hpp:1: has no #pragma once'
expect headers runtime/a.hpp "$pragma"'class A {\n    int b(int c) const;\n};\n' \
    'runtime/a.hpp:3: a const member function that returns a value is [[nodiscard]]'

expect words docs/a.md 'fine\n'
expect words docs/a.md 'one\nsee /wor''k/x\n' "docs/a.md:2: has the forbidden '/wor""k/'"
expect words runtime/a.cpp '// T''ODO: later\n' "runtime/a.cpp:1: has the forbidden 'T""ODO'"
expect words docs/a.md 'one lo''ss goe''s on\n' \
    "docs/a.md:1: has 'goe""s on': write 'continues'"
expect words CHANGELOG.md 'it goe''s on\n'
expect words runtime/a.cpp '// Returns what a file say''s of itself.\n' \
    "runtime/a.cpp:1: has 'say""s of': write 'states, explains'"
expect words tools/a.hpp '// As a run is tol''d.\n' "tools/a.hpp:1: has 'is tol""d': write 'gets, is set to'"
expect words tests/a_test.cpp '// No''body is tol''d.\n'
expect words docs/decisions/1.md 'No''body is tol''d.\n'
expect words sdk/a.h '// Of a file that is open.\nint a;\n' \
    "sdk/a.h:1: a comment begins with 'Of': give it a subject"
expect words runtime/a.hpp '// The size\n// of a file.\nint a;\n'

expect fixes runtime/a.cpp 'f("is there\\n"\n  "    fix: ptprun runs {}");\n'
expect fixes runtime/a.cpp 'f("ptprun {} --set "\n  "lr=1 trains it");\n' \
    'runtime/a.cpp:1: a fix is a command and other words: "ptprun {} --set lr=1 trains it"'
expect fixes tools/a.cpp 'f(x, "is there\\n    fix: ptp-pack remove a, or rename it\\n", y);\n' \
    'tools/a.cpp:1: a fix is a command and other words: "ptp-pack remove a, or rename it"'
expect fixes tools/a.cpp 'f("to list them: ptprun runs; or name one", "a\\nptprun makes it");\n'

expect documents docs/a.md '# A `b`, c\n[here](#a-b-c) [there](https://example.org/#x)\n'
expect documents docs/a.md '[b](b.md)\n' "docs/a.md:1: links to 'b.md', which is not there"
expect documents docs/a.md '# A\n[b](a.md#b)\n' "docs/a.md:2: links to 'a.md#b', and docs/a.md has no such heading"
plant runtime/a.cpp 'void b();\n'
expect documents docs/where-is.md '| `runtime/a.cpp` (`b`) |\n'
expect documents docs/where-is.md '| `runtime/a.cpp` (`b`) |\n' \
    "docs/where-is.md:1: names the file 'runtime/a.cpp', which is not there"
plant runtime/a.cpp 'void b();\n'
expect documents docs/where-is.md '| `runtime/a.cpp` (`c`) |\n' \
    "docs/where-is.md:1: names 'c', which runtime/a.cpp does not declare"
plant runtime/a.cpp 'int c() {\n    b();\n    e.b();\n    const int d = b();\n    return b();\n}\n'
expect documents docs/where-is.md '| `runtime/a.cpp` (`b`) |\n' \
    "docs/where-is.md:1: names 'b', which runtime/a.cpp does not declare"
for declared in 'class b;' 'using b = int;' 'bool A::b() {' 'A::b(int c)' '    [[nodiscard]] int b() const;'; do
    plant runtime/a.cpp "$declared\n"
    expect documents docs/where-is.md '| `runtime/a.cpp` (`b`) |\n'
done

expect run_folder_names runtime/run/a.hpp 'const char* kA = "run.json";\n'
expect run_folder_names runtime/engine/a.cpp '// "run.json"\nint run; // see "status.json"\n'
expect run_folder_names runtime/experiment/a.cpp '    .help = "statistics.jsonl: an object on each line"},\n'
expect run_folder_names runtime/engine/a.cpp '\nopen(folder / "status.json");\n' \
    "runtime/engine/a.cpp:2: spells 'status.json': runtime/run/paths.hpp has the names of a run's folder"
expect run_folder_names tools/a.cpp 'say("a", "the run has no experiment.toml");\n' \
    "tools/a.cpp:1: spells 'experiment.toml': runtime/run/paths.hpp has the names of a run's folder"
expect run_folder_names tools/a.cpp 'open(run / "checkpoints" / name);\n' \
    "tools/a.cpp:1: spells 'checkpoints': runtime/run/paths.hpp has the names of a run's folder"

component='static constexpr const char* name = "MyNet";\nports{ptp::input("truth", 1, "B",\n "x").purpose(PTP_PURPOSE_TARGETS), ptp::input("other", 1)};\n'
plant plugins/a/a.cpp "$component"
expect component_names runtime/a.cpp 'say("MyNets and other"); // "MyNet"\n'
plant plugins/a/a.cpp "$component"
expect component_names runtime/a.cpp '\nsay("as MyNet does", "no truth");\n' \
    "runtime/a.cpp:2: names 'MyNet' of a plugin: ask for its purpose (decision 77)"
plant plugins/a/a.cpp "$component"
expect component_names tools/a.cpp 'find(list, "truth", "other");\n' \
    "tools/a.cpp:1: names 'truth' of a plugin: ask for its purpose (decision 77)"
plant plugins/a/a.cpp "$component"
expect component_names tools/ptp-import/a.cpp 'find(list, "truth");\n'

kernel='class A : public torch::autograd::Function<A> {};\n'
plant tests/a_test.cpp 'TEST_CASE("my pool: steps aside for others") {}\n'
expect own_kernels plugins/a/my_pool.cpp "${kernel}bool b = is_observed();\n"
plant tests/a_test.cpp 'TEST_CASE("my pool: steps aside for others") {}\n'
expect own_kernels plugins/a/my_pool.cpp "$kernel" \
    'plugins/a/my_pool.cpp: has an autograd function of its own and does not ask ptp::is_observed()'
expect own_kernels plugins/a/my_pool.cpp "${kernel}bool b = is_observed();\n" \
    "plugins/a/my_pool.cpp: no test 'my pool: steps aside ...' shows that its loops do while somebody observes"
expect own_kernels plugins/a/a.cpp 'f(x.data_ptr());\n' \
    'plugins/a/a.cpp: uses the memory of tensors; tests/structure/own_kernels.txt has no reason why no gradient passes through it'
plant tests/structure/own_kernels.txt 'plugins/a/ makes samples\n'
expect own_kernels plugins/a/a.cpp 'f(x.data_ptr());\n'
plant tests/structure/own_kernels.txt 'plugins/a/ makes samples\n'
expect own_kernels plugins/a/a.cpp 'f(x);\n' \
    'tests/structure/own_kernels.txt: no file of plugins/a/ uses the memory of tensors'

[[ $failure_count -eq 0 ]]
