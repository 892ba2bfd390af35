/* A library to preload: it writes down the tables of options that a program gives to the C library, and passes them on.
 *
 * $OPTION_REPORT names the file. One line each: "short <letters as of getopt>", "long <name> <has_arg> <flag> <val>",
 * "argp <name> <key> <has_arg> <is alias>", separated by tabs. Only the first table of a program counts. */
#define _GNU_SOURCE
#include <argp.h>
#include <dlfcn.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *open_report(void) {
    static int written;
    const char *name = getenv("OPTION_REPORT");
    return name == NULL || written++ ? NULL : fopen(name, "w");
}

static void report(const char *letters, const struct option *longs) {
    FILE *file = open_report();
    if (file == NULL) return;
    fprintf(file, "short\t%s\n", letters);
    for (; longs != NULL && longs->name != NULL; longs++)
        fprintf(file, "long\t%s\t%d\t%p\t%d\n", longs->name, longs->has_arg, (void *)longs->flag, longs->val);
    fclose(file);
}

int getopt(int count, char *const *words, const char *letters) {
    report(letters, NULL);
    int (*next)(int, char *const *, const char *) = dlsym(RTLD_NEXT, "getopt");
    return next(count, words, letters);
}

int getopt_long(int count, char *const *words, const char *letters, const struct option *longs, int *index) {
    report(letters, longs);
    int (*next)(int, char *const *, const char *, const struct option *, int *) = dlsym(RTLD_NEXT, "getopt_long");
    return next(count, words, letters, longs, index);
}

static void report_argp(FILE *file, const struct argp *argp) {
    const struct argp_option *each = argp->options;
    for (; each != NULL && (each->name != NULL || each->key != 0 || each->doc != NULL || each->group != 0); each++) {
        if ((each->name == NULL && each->key == 0) || each->flags & OPTION_DOC) continue;
        int takes = each->arg == NULL ? 0 : each->flags & OPTION_ARG_OPTIONAL ? 2 : 1;
        fprintf(file, "argp\t%s\t%d\t%d\t%d\n", each->name ? each->name : "", each->key, takes,
                (each->flags & OPTION_ALIAS) != 0);
    }
    for (const struct argp_child *child = argp->children; child != NULL && child->argp != NULL; child++)
        report_argp(file, child->argp);
}

error_t argp_parse(const struct argp *argp, int count, char **words, unsigned flags, int *end, void *input) {
    FILE *file = open_report();
    if (file != NULL) {
        report_argp(file, argp);
        fclose(file);
    }
    error_t (*next)(const struct argp *, int, char **, unsigned, int *, void *) = dlsym(RTLD_NEXT, "argp_parse");
    return next(argp, count, words, flags, end, input);
}
