// The exit codes of the programs, as documented in docs/exit-codes.md.

#pragma once

namespace ptp {

enum ExitCode : int {
    kDone = 0,
    kConfigurationError = 2,  // the command line or the experiment asks for something impossible
    kPluginError = 3,         // a plugin cannot be loaded, or breaks the contract
    kDataError = 4,           // a file, a sample or a tensor is not as declared
    kTrainingError = 5,       // anything else that ends the training
    kDiverged = 6,            // the loss is not a number any more, or far above its first values
    kPeerLost = 7,       // another process of the training has failed, hangs or cannot be reached
    kHungUp = 129,       // SIGHUP, numbered as in shells
    kInterrupted = 130,  // SIGINT
    kTerminated = 143    // SIGTERM
};

}  // namespace ptp
