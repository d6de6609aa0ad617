// text_tasks: tasks with texts.

#include <ptp/entry.hpp>

class CsvTable;
class DummyLanguageIdentification;
class TextFolder;
class TranslationPairs;
class WikiTextLanguageModeling;
class WiLYLanguageIdentification;
class WiLYNGramLanguageModeling;

PTP_PLUGIN("text_tasks", "0.1.0", CsvTable, DummyLanguageIdentification, TextFolder,
           TranslationPairs, WikiTextLanguageModeling, WiLYLanguageIdentification,
           WiLYNGramLanguageModeling);
