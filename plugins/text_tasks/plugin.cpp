// text_tasks: texts to learn from.

#include <ptp/entry.hpp>

class DummyLanguageIdentification;
class TranslationPairs;
class WikiTextLanguageModeling;
class WiLYLanguageIdentification;
class WiLYNGramLanguageModeling;

PTP_PLUGIN("text_tasks", "0.1.0", DummyLanguageIdentification, TranslationPairs,
           WikiTextLanguageModeling, WiLYLanguageIdentification, WiLYNGramLanguageModeling);
