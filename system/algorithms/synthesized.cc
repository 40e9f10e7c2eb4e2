// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/program-maker.h"
#include "system/message-programs/stored-algorithm.h"
#include "system/synthesis/picked-ways.h"
#include "system/synthesis/synthesis-key.h"
#include "system/synthesis/synthesize-wish.h"

#include <bit>
#include <optional>
#include <string>
#include <utility>

namespace nadi
{
namespace
{

SynthesisOptions
ReadOptions(const Parameters& parameters)
{
    // The bound and the trees are no parameters: SynthesizeWish finds them for each wish.
    SynthesisOptions options;
    if (parameters.Has<int64_t>("chunks"))
    {
        options.chunks = static_cast<uint32_t>(parameters.Get<int64_t>("chunks"));
    }
    options.seed = static_cast<uint64_t>(parameters.Get<int64_t>("seed"));
    options.tries = static_cast<uint32_t>(parameters.Get<int64_t>("tries"));
    return options;
}

/// Where the surroundings name a directory, programs are kept there from run to run.
class SynthesisMaker : public ProgramMaker
{
  public:
    explicit SynthesisMaker(const SynthesisOptions& options)
        : m_options(options)
    {
    }

    /// A program for 64 MiB serves 65 MiB: four classes for each doubling.
    uint64_t SizeClass(const ProgramSurroundings& /*surroundings*/,
                       const ProgramWish& wish) const override
    {
        const auto size = static_cast<uint64_t>(wish.size.Count());
        // A class is made of the number of bits and the two bits below the highest one. Sizes below
        // 4 B are classes of their own; the least of the other classes is 12.
        const auto bits = static_cast<int>(std::bit_width(size));
        return bits < 3 ? size : static_cast<uint64_t>(bits) << 2 | (size >> (bits - 3) & 3U);
    }

    ProgramWish Simplify(const ProgramSurroundings& surroundings,
                         const ProgramWish& wish) const override
    {
        return DropIdleCommunicator(surroundings, wish);
    }

    StoredProgram Make(const ProgramSurroundings& surroundings,
                       const ProgramWish& wish) const override
    {
        if (!surroundings.directory)
        {
            return Synthesise(surroundings, wish);
        }
        const ProgramStore store(*surroundings.directory,
                                 MakeSynthesisKey(surroundings, wish, m_options));
        std::string complaint;
        if (std::optional<StoredProgram> kept = store.Load(wish, complaint))
        {
            return std::move(*kept);
        }
        // A directory that cannot be read or written costs time, but no result: the program is
        // made, and carries the complaint.
        StoredProgram made = Synthesise(surroundings, wish);
        const std::string failure = store.Save(made);
        made.complaint = complaint.empty() ? failure : complaint;
        return made;
    }

  private:
    StoredProgram Synthesise(const ProgramSurroundings& surroundings, const ProgramWish& wish) const
    {
        SynthesisResult made = SynthesizeWish(surroundings, wish, m_options);
        return {.program = std::move(made.program), .builtIn = std::move(made.builtIn)};
    }

    SynthesisOptions m_options;
};

/// A program that fits the network of the group (docs/synthesis.md).
class Synthesized : public StoredAlgorithm
{
  public:
    static constexpr const char* Help =
        "A program made for the network of the group: its links and their "
        "rates. It does not know network.faults.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        const NumberRange positive{.least = 1, .isLeastAllowed = true, .most = 65536};
        const NumberRange any{.least = 0, .isLeastAllowed = true};
        return {{"chunks",
                 ParameterKind::Count,
                 "auto",
                 "Into how many chunks a shard is cut; auto: as many as are predicted to be best.",
                 {"auto"},
                 positive},
                {"seed", ParameterKind::Count, "1", "Of the choices among equals.", {}, any},
                {"tries",
                 ParameterKind::Count,
                 "4",
                 "How many seeds are tried; the program that is predicted to be fastest is taken.",
                 {},
                 positive}};
    }

    explicit Synthesized(const Parameters& parameters)
        : m_maker(ReadOptions(parameters))
    {
    }

    const ProgramMaker* Programs() const override
    {
        return &m_maker;
    }

  private:
    SynthesisMaker m_maker;
};

NADI_REGISTER(CollectiveAlgorithm, Synthesized, "synthesized");

} // namespace

SynthesisOptions
ReadSynthesisOptions(const ComponentChoice& choice)
{
    return ReadOptions(Parameters::Parse(Synthesized::ParameterSpecs(), choice.parameters));
}

} // namespace nadi
