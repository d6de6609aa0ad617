#include "swap/mischiefs.hpp"

namespace ptp::test {

namespace {

const std::string kNet = "'net' (Net)";
const std::string kPlugin = "plugin 'mischief' 0.1.0: 'net' (Net)";
const std::string kPlace = "FOLDER/experiment.toml:14:1: 'net' (Net): ";
const std::string kFailed = "FOLDER/experiment.toml:14:1: 'net' (Net) of plugin 'mischief' 0.1.0: ";
const std::string kCreateFix =
    "\n    fix: check its settings and the files that they name; if they are right, report this to "
    "the author of the plugin";
const std::string kForwardFix =
    "\n    inputs: inputs Float [4, 4]\n    fix: check that its inputs are what it expects; if "
    "they are, report this to the author of the plugin";
const std::string kPutBack = " and does not put it back\n    fix: put it back as it was";
const std::string kQuicker =
    " is not done after " + std::to_string(kTimeLimitSeconds) +
    " s\n    fix: make it quicker, or give it more time with swap.time_limit";
const std::string kConvert = "\n    fix: give the component migrate(), which converts them";
const std::string kImport = "\n    fix: give it import_state(), and a state_version of at least 2";
const std::string kCorrect = "\n    fix: correct what the new build computes, and build it again";
const std::string kTakeValues =
    "\n    fix: let it take the values that this run has, or begin a new run with this build";
const std::string kWiderTensors =
    "'first.weight' was [8, 4], is [9, 4]\n"
    "    'first.bias' was [8], is [9]\n"
    "    'norm.weight' was [8], is [9]\n"
    "    'norm.bias' was [8], is [9]\n"
    "    'second.weight' was [3, 8], is [3, 9]\n"
    "    'norm.running_mean' was [8] (a buffer), is [9] (a buffer)\n"
    "    'norm.running_var' was [8] (a buffer), is [9] (a buffer)";
const std::vector<Mischief> kMischiefs = {
    {"sets_type_when_loaded",
     "(load): its code, by being loaded, changes libtorch's default type" + kPutBack},
    {"rounds_when_loaded",
     "(load): COPY: cannot be loaded (open): changes the host's arithmetic by being loaded "
     "(numbers are rounded in another direction): it was probably linked with -ffast-math\n"
     "    fix: link it without"},
    {"throws", "(create): " + kFailed +
                   "create() failed: std::runtime_error: there is no more room in the attic" +
                   kCreateFix},
    {"throws_of_torch", "(create): " + kFailed +
                            "create() failed: c10::Error: no kernel fits these sizes" + kCreateFix},
    {"throws_through",
     "(create): " + kPlugin + ": create() let an exception out: of an unknown type"},
    {"draws_and_throws", "(create): " + kFailed +
                             "create() failed: std::runtime_error: after a thousand draws" +
                             kCreateFix},
    {"fails_silently",
     "(create): " + kPlugin + ": create() failed with status 3 and without a message"},
    {"forgets_counts",
     "(create): plugin 'mischief' 0.1.0: 'hits' (Hits): computes the statistic 'hits' over a whole "
     "set and cannot save what it has counted, so that a training that is interrupted and resumed "
     "would produce another value\n    fix: give it state(), or export_state() and import_state() "
     "(ptp.state/1), and build its plugin again"},
    {"gives_nothing", "(create): " + kPlugin + ": create() gave no instance"},
    {"publishes_otherwise", "(create): " + kPlace +
                                "the global 'hidden_size' has one value: 'net' (Net) publishes 8, "
                                "and 'net' (Net) publishes 9"},
    {"rounds_in_create", "(create): " + kPlugin +
                             ": create() changes how the host calculates (numbers are rounded in "
                             "another direction)" +
                             kPutBack},
    {"sets_type", "(create): " + kNet + " changes libtorch's default type" + kPutBack},
    {"sets_threads", "(create): " + kNet + " changes libtorch's number of threads" + kPutBack},
    {"sets_deterministic",
     "(create): " + kNet + " changes whether libtorch is deterministic" + kPutBack},
    {"stops_gradients",
     "(create): " + kNet + " changes whether libtorch keeps gradients" + kPutBack},
    {"other_size",
     "(create): the task of [training] (Points): has 4001 samples, had 4000: the position in the "
     "epoch would be lost\n    fix: keep the samples, or begin a new run with this build"},
    {"loses_parameter", "(migrate): " + kNet + ": 'second.bias' [3] has vanished" + kConvert},
    {"is_wider", "(migrate): " + kNet + ": " + kWiderTensors + kConvert},
    {"throws_in_migrate",
     "(migrate): " + kPlace +
         "the older build has no tensor 'first.scale'; it has first.weight, first.bias, "
         "norm.weight, norm.bias, second.weight, second.bias, norm.running_mean, "
         "norm.running_var, norm.num_batches_tracked"},
    {"throws_in_import", "(migrate): " + kPlace + "cannot count so far"},
    {"has_no_state",
     "(migrate): " + kNet + ": it cannot read the state of the running build" + kImport},
    {"has_older_state",
     "(migrate): " + kNet + ": it cannot read the state of the running build" + kImport},
    {"throws_in_forward", "(rehearse): " + kFailed +
                              "forward() failed: std::runtime_error: the attic is empty" +
                              kForwardFix},
    {"rounds_in_forward", "(rehearse): " + kPlugin +
                              ": forward() changes how the host calculates (numbers are rounded "
                              "in another direction)" +
                              kPutBack},
    {"writes_nothing", "(rehearse): " + kFailed +
                           "forward() failed: the output 'predictions' was not computed" +
                           kForwardFix},
    {"has_wrong_shape", "(rehearse): " + kPlugin +
                            " writes [4, 2] to stream 'predictions', but its port "
                            "'predictions' is declared as [B, 3] (B = 4)"},
    {"has_wrong_type", "(rehearse): " + kPlugin +
                           ": output 'predictions' (stream 'predictions'): is a tensor of "
                           "Long, must be a tensor of a floating type"},
    {"is_nan", "(rehearse): the loss of the next batch would be nan" + kCorrect},
    {"has_infinite_gradients",
     "(rehearse): with the next batch the gradient would not be finite of 'net.first.bias'" +
         kCorrect},
    {"is_detached",
     "(rehearse): no gradient would reach 'net.first.bias', 'net.first.weight', "
     "'net.norm.bias', 'net.norm.weight', 'net.second.bias', 'net.second.weight'\n"
     "    fix: let the loss depend on them, or let them require none"},
    {"throws_in_aggregate",
     "(rehearse): FOLDER/experiment.toml:19:1: 'hits' (Hits) of plugin 'mischief' 0.1.0: "
     "aggregate() failed: std::runtime_error: has lost count\n    fix: report this to the author "
     "of the plugin"},
};

const std::vector<Mischief> kDeadlyMischiefs = {
    {"crashes_in_create",
     "(create): plugin 'mischief' 0.1.0: 'net' (Net): create() crashed (SIGSEGV)"},
    {"crashes_in_forward",
     "(rehearse): plugin 'mischief' 0.1.0: 'net' (Net): forward() crashed (SIGSEGV)"},
    {"exits",
     "(create): a new component ended the child process that it was tried in\n"
     "    fix: let it throw an exception instead of ending the process"},
    {"hangs_in_create", "(create): " + kPlugin + ": create()" + kQuicker},
    {"hangs_in_forward", "(rehearse): " + kPlugin + ": forward()" + kQuicker},
    {"hangs_deaf", "(create): the child process has not ended after " +
                       std::to_string(kTimeLimitSeconds + 10) + " s"},
};

std::string start_up(const std::string& end, const std::string& name) {
    return "(load): loading it " + end +
           " in its start-up code or its entry\n    fix: repair and rebuild it; to try this file again: "
           "ptp-inspect why BUILD/tests/swap/" +
           name + "/mischief.so --retry";
}

const std::vector<Mischief> kDeadlyWhenLoaded = {
    {"crashes_when_loaded",
     start_up("ended by signal 11 (Segmentation fault)", "crashes_when_loaded")},
    {"exits_when_loaded", start_up("ended the process with status 0", "exits_when_loaded")},
    {"hangs_when_loaded",
     start_up("took longer than " + std::to_string(kTimeLimitSeconds) + " s", "hangs_when_loaded")},
};

const std::string kLibtorch = PTP_TEST_LIBTORCH;
const std::string kBeginAnew = "\n    fix: keep this as it is, or begin a new run with this build";
const std::vector<Forgery> kForgeries = {
    {"abi_major", "\"abi_major\":1", "\"abi_major\":9",
     "(inspect): built for ABI 9.6, this host has 1.6\n    fix: rebuild the plugin with this host's SDK"},
    {"libtorch", "\"libtorch\":\"" + kLibtorch.substr(0, 1), "\"libtorch\":\"9",
     "(inspect): built for libtorch 9" + kLibtorch.substr(1) + ", this host has " + kLibtorch +
         "\n    fix: rebuild the plugin against this host's libtorch"},
    {"entry", "ptp_plugin_entry", "ptp_plugin_gone!",
     "(inspect): is not a plugin: it does not export ptp_plugin_entry"
     "\n    fix: ptp_add_plugin() builds one from a source with PTP_PLUGIN()"},
    {"other_name", "\"name\":\"mischief\"", "\"name\":\"stranger\"",
     "(inspect): the plugin 'stranger' is not one of this run\n"
     "    fix: name newer builds of gate, mischief, tally"},
    {"component_vanished", "\"name\":\"Hits\"", "\"name\":\"Hats\"",
     "(inspect): the component Hits has vanished" + kBeginAnew},
    {"setting_vanished", "\"name\":\"dropout\"", "\"name\":\"dropped\"",
     "(inspect): pipeline.net.dropout: unknown setting; known: hidden, dropped" + kTakeValues},
    {"range_narrower", "\"range\":\"[0, 1)\"", "\"range\":\"[.2,1)\"",
     "(inspect): FOLDER/experiment.toml:16:11: pipeline.net.dropout = 0.125: must be in [.2,1)" +
         kTakeValues},
    {"setting_required", "{\"name\":\"hidden\",\"type\":\"integer\",\"default_value\":\"8\",",
     "{\"name\":\"fresh\",\"type\":\"integer\",\"required\":true,",
     "(inspect): FOLDER/experiment.toml:14:1: pipeline.net.fresh: required, but missing: an "
     "integer in [1, 64] (Width of the hidden layer)" +
         kTakeValues},
    {"port_renamed", "{\"direction\":\"output\",\"name\":\"predictions\"",
     "{\"direction\":\"output\",\"name\":\"forecast\"",
     "(inspect): the build does not fit the running training:\n"
     "    Net: stream 'forecast': is a new output\n"
     "    Net: stream 'predictions': is gone\n"
     "    fix: keep these as they are, or begin a new run with this build"},
    {"port_vanished",
     ",{\"direction\":\"output\",\"name\":\"targets\",\"element\":\"integer\",\"shape\":\"B\",\"help\":\"Classes\",\"purpose\":\"targets\"}]",
     "]", "(inspect): Points: stream 'targets': is gone" + kBeginAnew},
    {"other_element", "\"name\":\"targets\",\"element\":\"integer\"",
     "\"name\":\"targets\",\"element\":\"float\"",
     "(inspect): Points: stream 'targets': element was integer, is float" + kBeginAnew},
    {"other_shape", "\"name\":\"predictions\",\"element\":\"float\",\"shape\":\"B, 3\"",
     "\"name\":\"predictions\",\"element\":\"float\",\"shape\":\"B, 4\"",
     "(inspect): Net: stream 'predictions': shape was [B, 3], is [B, 4]" + kBeginAnew},
    {"new_statistic", "\"name\":\"hits\",\"aggregation\":\"computed\"",
     "\"name\":\"misses\",\"aggregation\":\"sum\"",
     "(inspect): the build does not fit the running training:\n"
     "    Hits: statistic 'hits': is gone\n"
     "    Hits: statistic 'misses': is new\n"
     "    fix: keep these as they are, or begin a new run with this build"},
    {"other_kind", "\"kind\":\"statistic\"", "\"kind\":\"transform\"",
     "(inspect): Hits: kind was statistic, is transform" + kBeginAnew},
    {"global_vanished",
     ",\"globals\":[{\"access\":\"write\",\"name\":\"hidden_size\",\"help\":\"Width of the "
     "hidden layer\"}]",
     "", "(inspect): Net: global 'hidden_size': is no longer published" + kBeginAnew},
};

}  // namespace

const std::vector<Mischief>& mischiefs() {
    return kMischiefs;
}

const std::vector<Mischief>& deadly_when_loaded() {
    return kDeadlyWhenLoaded;
}

const std::vector<Mischief>& deadly_mischiefs() {
    return kDeadlyMischiefs;
}

const std::vector<Forgery>& forgeries() {
    return kForgeries;
}

}  // namespace ptp::test
