// Adds a bundle of a catalog or a template to a further channel, unless users would be left behind.
#include <opcat/base/error.hpp>
#include <opcat/base/thread_pool.hpp>
#include <opcat/edit/edit.hpp>
#include <opcat/edit/edited_files.hpp>

#include <iostream>

int main(int argc, char** argv) {
    if (argc != 4) return 2; // FILE BUNDLE CHANNEL
    try {
        opcat::ThreadPool pool(2);
        opcat::edit::EditedFiles files({{argv[1]}}, {}, pool);
        opcat::edit::promote(files.edit(), {}, {argv[2]}, {argv[3]});
        for (const std::string& done : files.edit().done) std::cout << done << '\n';
        for (const opcat::edit::Proof& proof : files.prove({})) {
            for (const std::string& effect : proof.effects) std::cout << effect << '\n';
            for (const opcat::edit::Objection& objection : proof.objections)
                std::cout << "refused: " << objection.what << '\n';
            if (!proof.objections.empty()) return 1;
        }
        files.write();
        return 0;
    } catch (const opcat::Error& error) {
        std::cerr << error.what() << '\n';
        return 3;
    }
}
