// Finds words missing in the training's vocabulary in texts that the training reads late.

#pragma once

#include "engine/train/training_session.hpp"

namespace ptp::engine {

// [main] Reads the texts of all sections, of [training] only if requested, through the components
// with a vocabulary, so that one that refuses a word, or warns of unknown ones, does so before
// hours of training and not in its test. Of a task that writes images it reads the first thousand
// samples: decoding these takes longer than the reading. Warns of a model that sees its answers in
// the first batch of [training]. Leaves no trace in the session. Throws
// RunError, with the section.
void refuse_unknown_words(TrainingSession& session, bool reads_training);

}  // namespace ptp::engine
