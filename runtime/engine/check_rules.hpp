// The rules of `ptp-inspect --check`: all of them, in one table. Lists, messages and the table of
// docs/authoring/conformance.md are made from it.

#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace ptp::engine {

// The numbers never change, and that of a rule that is removed is never used again. Rules below 200
// look at the file alone, and do not run the plugin's code.
enum class RuleId : int {
    kPluginFile = 101,
    kExportedSymbols = 102,
    kUniqueSymbols = 103,
    kThreadLocalDestructors = 104,
    kFastMath = 105,
    kTextRelocations = 106,
    kExecutableStack = 107,
    kNeededLibraries = 108,
    kHelpTexts = 109,
    kDeclarations = 110,
    kLoads = 201,
    kManifestEqualsCode = 202,
    kAbilities = 203,
    kRuns = 204,
    kCreatedTwice = 205,
    kDefaults = 206,
    kSettingLimits = 207,
    kParameterOrder = 208,
    kGradients = 209,
    kStateRoundTrip = 210,
    kInterruption = 211,
    kBatchSizes = 212,
    kBatchOfOne = 213,
    kEmptyBatch = 214,
    kWrongShapes = 215,
    kInputsUnchanged = 216,
    kThreads = 217,
    kDeterminism = 218,
    kSharedGenerators = 219,
    kWrites = 220,
    kProcessState = 221,
    kStridedInputs = 222,
    kMovedParameters = 223
};

struct CheckRule {
    RuleId id;
    std::string_view name;    // never changes either: "exported-symbols"
    std::string_view demand;  // what must hold
    std::string_view reason;  // why
    std::string_view fix;     // what an author does if it does not hold
    // The reason why it is skipped for a plugin to which it does not apply; "": it applies to all.
    std::string_view nothing = {};

    [[nodiscard]] constexpr int number() const { return static_cast<int>(id); }
    [[nodiscard]] constexpr bool is_static() const { return number() < 200; }
};

// Worse ones come later. Untried is what ptp itself was not able to try: nothing is known then.
enum class RuleOutcome { kPassed, kSkipped, kUntried, kWarning, kFailed, kTimedOut, kCrashed };

constexpr std::string_view to_string(RuleOutcome outcome) {
    constexpr std::array<std::string_view, 7> kWords = {
        "passed", "skipped", "not tried", "warning", "failed", "timed out", "crashed"};
    return kWords[static_cast<std::size_t>(outcome)];
}

// Returns whether a plugin with this outcome of a rule is refused.
constexpr bool is_refusal(RuleOutcome outcome) {
    return outcome >= RuleOutcome::kFailed;
}

// Sorted by number.
inline constexpr std::array<CheckRule, 33> kCheckRules = {{
    {RuleId::kPluginFile, "plugin-file",
     "the file is whole, has a valid and sealed manifest, and is built for this host",
     "the host reads all that it knows of a plugin from the manifest, without running its code",
     "build it with ptp_add_plugin(), against this host's SDK and libtorch"},
    {RuleId::kExportedSymbols, "exported-symbols", "ptp_plugin_entry is the only exported symbol",
     "two plugins, or two builds of one, that export the same name may call each other's functions",
     "link it with the SDK's plugin.map"},
    {RuleId::kUniqueSymbols, "unique-symbols",
     "no symbol is unique in the process (STB_GNU_UNIQUE)",
     "a newer build that is swapped in would share static variables with the old one",
     "compile it with -fno-gnu-unique"},
    {RuleId::kThreadLocalDestructors, "thread-local-destructors",
     "no thread_local object has a destructor",
     "the host's threads run it when they end, after the component was destroyed",
     "keep it in the component, or make it a plain value"},
    {RuleId::kFastMath, "fast-math", "it is not linked with the start-up object of -ffast-math",
     "loading it would make the processor take tiny numbers as zero in the whole process",
     "link it without -ffast-math, -Ofast and -funsafe-math-optimizations"},
    {RuleId::kTextRelocations, "text-relocations", "loading does not change its code",
     "changed code is not what the manifest's hash is about, and hardened systems refuse it",
     "compile everything in it with -fPIC, static libraries too, and link it with -Wl,-z,text"},
    {RuleId::kExecutableStack, "executable-stack", "it does not ask for an executable stack",
     "loading it would make the stacks of the whole process executable",
     "link it with -Wl,-z,noexecstack"},
    {RuleId::kNeededLibraries, "needed-libraries",
     "the libraries that it needs are found, and looked for in folders that other users cannot write",
     "without them it cannot be loaded, and from such a folder it loads what another user put there",
     "link the library statically, or install it beside the plugin with the run path $ORIGIN"},
    {RuleId::kHelpTexts, "help-texts", "all that is declared has a help text",
     "ptp-inspect, ptprun explain and editors show it", "write the missing texts"},
    {RuleId::kDeclarations, "declarations",
     "what is declared can be read, is consistent, and has defaults within their ranges",
     "an experiment is checked against the declarations before anything runs",
     "correct the declaration that is named"},
    {RuleId::kLoads, "loads", "it is loaded without a crash, and changes nothing by being loaded",
     "a run loads it into its own process",
     "do nothing in constructors of static objects and in ptp_plugin_entry()"},
    {RuleId::kManifestEqualsCode, "manifest-equals-code",
     "its code declares what its manifest declares",
     "experiments are checked against the manifest, and run with the code",
     "build it with ptp_add_plugin(), which writes the manifest from the code"},
    {RuleId::kAbilities, "abilities",
     "each component has the abilities of its kind, and none that does not exist",
     "a task without samples or statistics that cannot be saved end a run after hours",
     "give the component the function that is named"},
    {RuleId::kRuns, "runs",
     "each component runs, in training and in evaluation, and writes what it declares",
     "all further rules try what it does when it runs", "correct what the message names",
     "the plugin has no components"},
    {RuleId::kCreatedTwice, "created-twice",
     "a component can be created again, and beside another instance",
     "a swap, a resume and an experiment with two of a kind do so",
     "keep everything in the instance, nothing in static variables"},
    {RuleId::kDefaults, "defaults", "a component takes its own defaults",
     "a setting that must be given is one without a default",
     "correct the default, or make the setting required"},
    {RuleId::kSettingLimits, "setting-limits",
     "each setting's least, greatest and every named value runs, or is refused by a message",
     "the declaration promises that these are allowed",
     "narrow the range of the setting, or refuse the value in the constructor",
     "no component has a setting with limits"},
    {RuleId::kParameterOrder, "parameter-order",
     "parameters and buffers have the same names and sizes in the same order, always",
     "optimizers, checkpoints and swaps find what belongs to a tensor by them",
     "register them in the constructor, in a fixed order", "no component has parameters"},
    {RuleId::kGradients, "gradients", "gradients of the outputs reach every trained parameter",
     "a parameter without a gradient is never trained, and nothing else shows it",
     "use the parameter in forward(), without detach() or item(), or make it a buffer",
     "no component has trained parameters"},
    {RuleId::kStateRoundTrip, "state-round-trip",
     "an instance that has taken over a state exports the same state, to the last bit",
     "a run that is resumed twice would not continue where it was",
     "export all that import_state() sets, and set all that is exported",
     "no component has state or parameters"},
    {RuleId::kInterruption, "interruption",
     "it continues after an interruption as if there had been none",
     "a resumed run must have the numbers of one that was never interrupted",
     "keep what lasts from step to step in parameters, buffers or state()"},
    {RuleId::kBatchSizes, "batch-sizes", "batches of 3, 7, 2 and 5 samples run",
     "the last batch of an epoch is as large as what is left",
     "take the number of samples from the inputs or the step, not from the first batch"},
    {RuleId::kBatchOfOne, "batch-of-one",
     "a batch of one sample is evaluated, and trained or refused by a message",
     "the last batch of an epoch may have one sample",
     "do not drop the dimension of the batch, as squeeze() does"},
    {RuleId::kEmptyBatch, "empty-batch", "a batch without samples runs or is refused by a message",
     "a mask may leave none", "do not divide by the number of samples unasked"},
    {RuleId::kWrongShapes, "wrong-shapes",
     "an input of another shape than declared is refused, and one of another type crashes nothing",
     "another program that feeds the component may be wrong",
     "compare the sizes of the view with what was declared before memory is read",
     "no component reads tensors"},
    {RuleId::kInputsUnchanged, "inputs-unchanged", "no input is changed in place",
     "other components read the same stream, before or after",
     "compute into an output of its own, without functions that end with _",
     "no component reads streams"},
    {RuleId::kThreads, "threads",
     "what claims that several threads may call it computes the same on two threads at once",
     "loader threads call it so, and bits would depend on their number",
     "take away what is shared, or the claim",
     "no component claims that several threads may call it"},
    {RuleId::kDeterminism, "determinism", "the same seed makes the same bits",
     "a run is repeated by its seed, and a swap or resume is compared with it",
     "draw from the generator of ptp::Setup, libtorch's own or ptp::Samples, set all memory, and "
     "compute without clock and addresses"},
    {RuleId::kSharedGenerators, "shared-generators",
     "nothing is drawn from generators that all components share",
     "the numbers of one component would depend on which others there are",
     "draw from the generator of ptp::Setup; in fetch() and in transforms of samples from the seeds"},
    {RuleId::kWrites, "writes", "it writes to the run's folder only",
     "runs that train at the same time would write over each other's files",
     "write below the run folder that the host names"},
    {RuleId::kProcessState, "process-state", "it leaves the process as it was",
     "the locale, the current folder, the permissions of new files and the handlers of signals belong to "
     "the host and to all plugins",
     "leave them alone, or put them back before the call returns"},
    {RuleId::kStridedInputs, "strided-inputs",
     "inputs whose elements do not lie side by side are read as they are",
     "a component before it may cut or transpose what it passes on, without copying it",
     "read through the strides of the view, or a copy: TensorView::copy() in C++, contiguous() with libtorch",
     "no component reads tensors"},
    {RuleId::kMovedParameters, "moved-parameters",
     "parameters and buffers can get other memory before the first step",
     "predictions use large weights where they lie in a file, and not in the memory that create() made",
     "keep the tensor, and ask it for its data_ptr() in each call", "no component has parameters"},
}};

constexpr const CheckRule& rule_of(RuleId id) {
    return *std::find_if(kCheckRules.begin(), kCheckRules.end(),
                         [&](const CheckRule& rule) { return rule.id == id; });
}

}  // namespace ptp::engine
