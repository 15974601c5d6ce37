/** Outputs of a model for texts, in Node and in browsers, in a worker or not. */

/** The kind of a failure, as the library names it. */
export type Status = "ARGUMENT" | "FORMAT" | "MEMORY" | "OPEN";

/** A failure: the message says what was found and what was expected. */
export class LookbackError extends Error {
    readonly status: Status;
}

/** One that is undefined has its default, in brackets. */
export interface Options {
    /** Outputs for a text, at most; up to 1,000 [1]. */
    nBest?: number;
    /** Outputs that are followed side by side, at least nBest, up to 1,000 [5; 1 for lists of numbers]. */
    beam?: number;
    /** The power of the length by which scores are divided, up to 10; negative: 0 [1]. */
    lengthPenalty?: number;
    /** The most symbols of an output, up to 65,535 [8 + twice the longest of the text and the training texts]. */
    limit?: number;
    /** Also where the model looked [false]. */
    attention?: boolean;
}

export interface Output {
    readonly text: string;
    readonly symbols: string[];
    /** Whether the model wrote an end within the limit. */
    readonly finished: boolean;
    /** Only of an answer of the lexicon in the model. All of its numbers are null if the model lacks one of its symbols. */
    readonly from?: "lexicon";
    /** For comparing outputs: the log-probability, divided by a power of the length. */
    readonly score: number | null;
    readonly probability: number | null;
    /** Of each symbol and, if the output is finished, of its end. */
    readonly symbolProbabilities: (number | null)[];
    /** [layer][head][step]: a weight for each symbol of the text. Only on request, and with a model that has attention. */
    readonly attention?: Float32Array[][][];
}

export interface Translation {
    /** Of the text, as the model reads it. */
    readonly symbols: string[];
    /** Those that the model does not know. */
    readonly unknown: string[];
    /** Only of a text unlike those of the training: expect mistakes. */
    readonly unlike?: true;
    /** Answers of the lexicon, if the model has them, and then the best first. */
    readonly outputs: Output[];
}

export interface Model {
    /** Throws LookbackError: FORMAT for a text that is empty, too long, not UTF-8, or that the model cannot read; ARGUMENT for
     *  an impossible option; MEMORY. Throws TypeError for an unknown option, a value of another type, or a text that is no string. */
    translate(text: string, options?: Options): Translation;
    translate(texts: Iterable<string>, options?: Options): Translation[];
}

/** Opens a model: the bytes of the file that `lookback train` wrote. Rejects with LookbackError: FORMAT for a file that is
 *  damaged or no model; MEMORY. */
export function open(bytes: Uint8Array | ArrayBuffer): Promise<Model>;
