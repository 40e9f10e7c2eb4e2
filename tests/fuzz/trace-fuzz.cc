// SPDX-License-Identifier: GPL-2.0-only
// Traces of every schema and form, compressed or not: as a simulation reads them, and as the tools
// do.
#include "tests/fuzz/fuzz-target.h"
#include "tests/fuzz/input-files.h"
#include "workload/document/json-document.h"
#include "workload/document/trace-document.h"
#include "workload/engine/job-check.h"
#include "workload/trace/trace-file.h"
#include "workload/trace/trace-set.h"

namespace nadi::fuzz
{

namespace
{

constexpr uint32_t RANKS = 4;

/// JSON with 0 for each -0: protobuf writes the sign, and reads a whole number.
std::string
FormatPlainJson(const TraceDocument& document)
{
    std::string text = FormatJsonDocument(document);
    for (size_t at = text.find("-0"); at != std::string::npos; at = text.find("-0", at + 1))
    {
        const bool isEnd = at + 2 < text.size() &&
                           (text[at + 2] == ',' || text[at + 2] == ']' || text[at + 2] == '}');
        text.erase(at, isEnd ? 1 : 0);
    }
    return text;
}

class TraceFuzz : public FuzzTarget
{
  public:
    static constexpr const char* Help = "The bytes of a trace.";

    void Read(const std::string& input) override
    {
        if (Succeeds([&input] { ParseTrace(input, "fuzz", DependencyPolicy::Auto); }))
        {
            CheckAsJob(input);
        }
        TraceDocument document;
        if (Succeeds([&] { document = ParseDocument(input, "fuzz"); }))
        {
            CheckDocument(document);
        }
    }

  private:
    /// All ranks have the trace. Its groups and its messages may not fit the ranks.
    void CheckAsJob(const std::string& input) const
    {
        const std::string file = m_files.Write("fuzz.et", input);
        Succeeds([&file] { CheckJob(ReadTraces({.pattern = file, .ranks = RANKS})); });
    }

    /// JSON has no names for fields that the schema does not have, and knows one NaN only. So what
    /// is read of it is held against its text.
    static void CheckDocument(const TraceDocument& document)
    {
        CheckReads(document, FormatDocument, "a document that was written reads as it was");
        CheckReads(document, FormatPlainJson, "a document that was written as JSON does too");
    }

    static void CheckReads(const TraceDocument& document,
                           std::string (*format)(const TraceDocument&),
                           const char* law)
    {
        const std::string written = format(document);
        std::string again;
        const auto read = [&] { again = format(ParseDocument(written, "written")); };
        Require(Succeeds(read) && again == written, law);
    }

    InputFiles m_files;
};

NADI_REGISTER(FuzzTarget, TraceFuzz, "trace");

} // namespace

} // namespace nadi::fuzz
