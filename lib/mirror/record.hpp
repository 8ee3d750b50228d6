// A record of the images that opcat has copied into a mirror, so that it removes nothing else: kept there as
// an image with one file.
#pragma once

#include "opcat/mirror/plan.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace opcat {

// In the record's image.
inline constexpr const char* record_file = "opcat-mirror.json";

struct MirrorRecord {
    // By the name of a catalog in the mirror: the images that were copied for it, itself included, with their
    // digests.
    using Images = std::map<std::string, std::map<MirrorName, std::string>>;
    Images catalogs;
    // In the same form: what a run has begun to put there, or to remove. It may have been interrupted, so
    // these images may be there; if one is, it is ours.
    Images unsettled;
    // In the same form: images of the last run that were there before any run, and so are not ours.
    Images found;
    // By the same names: all images of the last run, also those that were there before it, with their pull
    // specs at home (none: the catalog, or an attachment), for the mirror sets of later runs and for checks.
    using Sources = std::map<std::string, std::map<MirrorName, std::set<std::string>>>;
    Sources sources;
    Sources platforms; // in the same form: of indexes, those that are copied, where they are not all
    // Of releases of OpenShift that runs have mirrored and nothing has removed: SignatureData.
    std::map<std::string, std::string> signatures;

    // Throws Error for a text that is not a record.
    static MirrorRecord parse(std::string_view json);
    std::string to_json() const;

    // Adds the record of a later run, also its signatures. A manifest whose tag that run has moved is still
    // in the registry: it stays in the record, named by its digest. What is known to be there is not
    // unsettled any more. Sources of a catalog, and what was found, are those of the later run.
    void add(const MirrorRecord& later);

    // Recorded images of the catalogs in `wanted`, also unsettled ones, that are neither in its own lists nor
    // in those of other catalogs. Compared by digest, so nothing that shares its digest and repository with
    // an image that stays is removed; nor is what other catalogs need and others have put there.
    std::map<MirrorName, std::string> superfluous(const MirrorRecord& wanted) const;
    // Returns true if the image is attached to another one, as far as its name and the record say.
    bool is_attachment(const MirrorName& name) const;
    // Takes what a later record says about catalogs that are not in `own`: of another run at the same time.
    void adopt(const MirrorRecord& other, const std::set<std::string>& own);
    // Forgets what the catalogs in `wanted` no longer need and others do: it goes when they no longer need
    // it. Whether there was any.
    bool leave_to_others(const MirrorRecord& wanted);
    // Before these images are removed: they become unsettled.
    void begin_to_remove(const std::map<MirrorName, std::string>& images);
    // An image is not there any more, and its signatures are of no use.
    void remove(const MirrorName& name, const std::string& digest);
};

} // namespace opcat
