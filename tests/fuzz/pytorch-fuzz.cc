// SPDX-License-Identifier: GPL-2.0-only
// Recordings of PyTorch: a Kineto trace, and after the first line "--- host ---" a host trace.
#include "common/error.h"
#include "tests/fuzz/fuzz-target.h"
#include "workload/document/recorded-memory.h"
#include "workload/document/trace-document.h"
#include "workload/tools/analysis/memory-use.h"
#include "workload/tools/conversion/host-job.h"
#include "workload/tools/conversion/kineto-trace.h"
#include "workload/tools/conversion/pytorch-converter.h"
#include "workload/tools/conversion/pytorch-host-trace.h"
#include "workload/trace/trace-file.h"

#include <string_view>

namespace nadi::fuzz
{

namespace
{

constexpr std::string_view SEPARATOR = "\n--- host ---\n";

class PytorchFuzz : public FuzzTarget
{
  public:
    static constexpr const char* Help = "A Kineto trace, and a host trace.";

    void Read(const std::string& input) override
    {
        const size_t cut = input.find(SEPARATOR);
        const KinetoTrace device = ParseKinetoTrace(input.substr(0, cut), "device");
        PytorchConverter converter(8);
        if (cut == std::string::npos)
        {
            return Check(converter.Convert(0, device, nullptr));
        }
        const PytorchHostTrace host =
            ParsePytorchHostTrace(input.substr(cut + SEPARATOR.size()), "host");
        CheckHostAlone(host);
        Check(converter.Convert(0, device, &host));
    }

  private:
    /// Of a host trace without its device, too.
    static void CheckHostAlone(const PytorchHostTrace& host)
    {
        PytorchGroups groups;
        ConversionNotes notes;
        CommunicationWriter communication(host.groups, 8, groups, notes);
        try
        {
            const std::string trace = FormatDocument(MakeHostDocument(host, communication));
            Require(Succeeds([&trace] { ParseTrace(trace, "host", DependencyPolicy::Auto); }),
                    "the operators of a host trace can be read");
        }
        catch (const ConfigError&)
        {
            return; // no operator does work
        }
    }

    /// What a conversion makes, a simulation reads.
    static void Check(const TraceDocument& document)
    {
        const std::string trace = FormatDocument(document);
        Require(Succeeds([&trace] { ParseTrace(trace, "made", DependencyPolicy::Auto); }),
                "a converted recording can be read");
        if (const auto memory = ReadRecordedMemory(document.metadata, "made"))
        {
            const MemoryUse use = FindMemoryUse(*memory, memory->nanos.front() / 2, INT64_MAX / 2);
            Require(use.nanos.size() == use.allocatedBytes.size(), "each instant has a level");
        }
    }
};

NADI_REGISTER(FuzzTarget, PytorchFuzz, "pytorch");

} // namespace

} // namespace nadi::fuzz
