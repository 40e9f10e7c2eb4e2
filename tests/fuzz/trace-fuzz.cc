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

#include <utility>

namespace nadi::fuzz
{

namespace
{

constexpr uint32_t RANKS = 4;

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
            CheckDocument(std::move(document));
        }
    }

  private:
    /// All ranks have the trace. Its groups and its messages may not fit the ranks.
    void CheckAsJob(const std::string& input) const
    {
        const std::string file = m_files.Write("fuzz.et", input);
        Succeeds([&file] { CheckJob(ReadTraces({.pattern = file, .ranks = RANKS})); });
    }

    static void CheckDocument(TraceDocument document)
    {
        const std::string whole = FormatDocument(document);
        CheckReadsAs(whole, whole, "a document that was written reads as it was");
        // JSON has no names for fields that the schema does not have.
        document.metadata.DiscardUnknownFields();
        for (ChakraProtoMsg::Node& node : document.nodes)
        {
            node.DiscardUnknownFields();
        }
        const std::string bytes = FormatDocument(document);
        CheckReadsAs(FormatJsonDocument(document),
                     bytes,
                     "a document that was written as JSON reads as it was");
    }

    static void CheckReadsAs(const std::string& written, const std::string& bytes, const char* law)
    {
        std::string again;
        const auto read = [&] { again = FormatDocument(ParseDocument(written, "written")); };
        Require(Succeeds(read) && again == bytes, law);
    }

    InputFiles m_files;
};

NADI_REGISTER(FuzzTarget, TraceFuzz, "trace");

} // namespace

} // namespace nadi::fuzz
