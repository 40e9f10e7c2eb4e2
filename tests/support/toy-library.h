// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/communication-library.h"
#include "system/library/dimension-programs.h"
#include "system/library/whole-program.h"
#include "tests/support/scratch-exchange-plan.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace nadi::test
{

/// What a library can say of messages: each of these comes from a parameter.
class ToyProtocol : public Protocol
{
  public:
    explicit ToyProtocol(const Parameters& values)
        : Protocol(Start::OnTerms)
        , m_values(values)
    {
    }

    /// A flag of one byte for each byte of data; one engine and one channel for all messages.
    SendTerms TermsFor(const LibraryMessage& message) const override
    {
        SendTerms terms{.slots = static_cast<uint32_t>(m_values.Get<int64_t>("slots")),
                        .creditDelay = m_values.Get<SimTime>("credit-delay"),
                        .delay = m_values.Get<SimTime>("start-delay"),
                        .overhead = message.size};
        if (m_values.Get<std::string>("engine") == "on")
        {
            terms.engineTime = message.size / m_values.Get<Bandwidth>("engine-rate");
        }
        return terms;
    }

    SimTime EndDelay(const LibraryMessage& /*message*/, PlanStep::Action /*action*/) const override
    {
        return m_values.Get<SimTime>("end-delay");
    }

    SimTime LocalTime(PlanStep::Action action, Bytes size) const override
    {
        const bool isCopy = action == PlanStep::Action::Copy;
        return size / m_values.Get<Bandwidth>(isCopy ? "copy-rate" : "reduce-rate");
    }

    SimTime StepDelay() const override
    {
        return m_values.Get<SimTime>("start-delay") + m_values.Get<SimTime>("end-delay");
    }

    SimTime ExtendRun(SimTime run) const override
    {
        return std::max(run, m_values.Get<SimTime>("launch"));
    }

  private:
    Parameters m_values;
};

/// All-reduces by a plan of its own over the whole communicator, all else dimension by dimension.
class InstalledToyLibrary : public InstalledLibrary
{
  public:
    InstalledToyLibrary(const LibrarySurroundings& surroundings, const Parameters& values)
        : m_options(surroundings.options)
        , m_protocol(values)
        , m_programs(surroundings, m_protocol)
        , m_exchange(m_programs.Add("scratch-exchange", std::make_unique<ScratchExchange>()))
    {
    }

    LayoutKind LayoutFor(CollectiveType type) const override
    {
        return type == CollectiveType::AllReduce ? LayoutKind::Flat : m_programs.LayoutFor(type);
    }

    /// The first rank of a communicator is its place.
    uint32_t PlaceOf(const Communicator& communicator) override
    {
        return communicator.ranks.front().value;
    }

    CollectiveProgram MakeProgram(const ProgramRequest& request) override
    {
        if (request.type != CollectiveType::AllReduce)
        {
            return m_programs.Make(request);
        }
        CollectiveProgram program = MakeWholeProgram(request, m_options.elementBytes, m_exchange);
        program.protocol = &m_protocol;
        program.decision.protocol = "LL";
        program.decision.channels = request.layout.Size() - 1;
        program.decision.chosenBy = "place " + std::to_string(request.layout.RankOf(0).value);
        return program;
    }

    const Protocol& PointToPointProtocol() const override
    {
        return m_protocol;
    }

  private:
    const SystemOptions& m_options;
    ToyProtocol m_protocol;
    DimensionPrograms m_programs;
    const ChosenAlgorithm& m_exchange;
};

class ToyLibrary : public CommunicationLibrary
{
  public:
    static constexpr const char* Help = "of the tests: everything that a library can say";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return {{"slots", ParameterKind::Count, "0", "messages under way; 0 = any number"},
                {"credit-delay", ParameterKind::Duration, "0 ns", "until a slot is free again"},
                {"engine", ParameterKind::Word, "off", "one for all messages", {"on", "off"}},
                {"engine-rate", ParameterKind::Rate, "100 MB/s", "of that engine"},
                {"start-delay", ParameterKind::Duration, "0 ns", "before a message leaves"},
                {"end-delay", ParameterKind::Duration, "0 ns", "before it may be used"},
                {"copy-rate", ParameterKind::Rate, "1 TB/s", "of a rank's memory"},
                {"reduce-rate", ParameterKind::Rate, "1 TB/s", "of a rank's memory"},
                {"launch", ParameterKind::Duration, "0 ns", "no collective takes less"}};
    }

    explicit ToyLibrary(const Parameters& values)
        : m_values(values)
    {
    }

    std::unique_ptr<InstalledLibrary>
    Install(const LibrarySurroundings& surroundings) const override
    {
        return std::make_unique<InstalledToyLibrary>(surroundings, m_values);
    }

  private:
    Parameters m_values;
};

NADI_REGISTER(CommunicationLibrary, ToyLibrary, "toy");

} // namespace nadi::test
